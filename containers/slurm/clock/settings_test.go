package clock

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	args, scale := Settings{Kind: KindJump}.arguments()
	want := "--start 1861920010 --think-scale 1 --hold --round acctg_prof=60 --round powersave=60"
	if got := strings.Join(args, " "); got != want || scale != 1 {
		t.Errorf("%q, scale %g, want %q", got, scale, want)
	}
	start := DefaultStart()
	if start.Weekday() != time.Monday || start.Sub(start.Truncate(24*time.Hour)) != midnightMargin {
		t.Errorf("%v is not just after the start of a Monday", start)
	}
	args, _ = Settings{Start: time.Unix(1_900_000_000, 0), Rounds: map[string]time.Duration{}}.arguments()
	if got := strings.Join(args, " "); got != "--start 1900000000 --think-scale 1 --hold" {
		t.Errorf("%q", got)
	}
}

// What the host chooses reaches the cluster, also a choice of no rounds.
func TestSettingsJSON(t *testing.T) {
	for _, s := range []Settings{
		{Kind: KindReal}, {Kind: KindScaled, TimeScale: 20},
		{Kind: KindJump, ThinkScale: 0.5, Start: DefaultStart(), Rounds: DefaultRounds()},
		{Kind: KindJump, Rounds: map[string]time.Duration{}},
	} {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got Settings
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s became %+v, %v, want %+v", data, got, err, s)
		}
	}
}

func TestValidate(t *testing.T) {
	jump := func(think float64, year int) Settings {
		return Settings{Kind: KindJump, ThinkScale: think, Start: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	for _, s := range []Settings{
		{Kind: KindReal}, {Kind: KindScaled, TimeScale: 1}, {Kind: KindScaled, TimeScale: MaxTimeScale},
		{Kind: KindJump}, jump(minThinkScale, 2000), jump(maxThinkScale, 2037),
	} {
		if err := s.Validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []Settings{
		{}, {Kind: "fast"}, {Kind: KindScaled}, {Kind: KindScaled, TimeScale: 0.9},
		{Kind: KindScaled, TimeScale: MaxTimeScale + 1}, {Kind: KindScaled, TimeScale: math.NaN()},
		jump(-1, 2029), jump(0.009, 2029), jump(1001, 2029), jump(math.NaN(), 2029),
		jump(1, 1999), jump(1, 2038),
	} {
		if err := s.Validate(); err == nil {
			t.Errorf("%+v is not refused", s)
		}
	}
	if err := jump(-1, 1970).Validate(); err == nil || !strings.Contains(err.Error(), "think-scale") || !strings.Contains(err.Error(), "start") {
		t.Errorf("not every fault is told: %v", err)
	}
}
