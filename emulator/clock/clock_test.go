package clock

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Virtual time advances by Scale for each real second.
func TestAtIsLinear(t *testing.T) {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(1, 100).Draw(t, "scale")
		seconds := rapid.IntRange(0, 100_000).Draw(t, "seconds")
		c := Clock{Scale: scale, Real: base, Virtual: base.Add(time.Hour)}
		got := c.At(base.Add(time.Duration(seconds) * time.Second)).Sub(c.Virtual).Seconds()
		want := scale * float64(seconds)
		if diff := got - want; diff > 1e-3 || diff < -1e-3 {
			t.Fatalf("after %d real s virtual time advanced %g s, want %g", seconds, got, want)
		}
	})
}

func TestSleepTakesRealDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Real()
		c.Scale = 20
		before := time.Now()
		if err := c.Sleep(t.Context(), 40*time.Second); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(before); took != 2*time.Second {
			t.Fatalf("40 virtual s at x20 took %v, want 2s", took)
		}
		if virtual := c.Now().Sub(c.Virtual); virtual != 40*time.Second {
			t.Fatalf("virtual clock advanced %v, want 40s", virtual)
		}
	})
}

func TestSleepReportsCause(t *testing.T) {
	cause := errors.New("slurmctld died")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, d := range []time.Duration{0, time.Hour} {
		if err := Real().Sleep(ctx, d); !errors.Is(err, cause) {
			t.Errorf("Sleep(%v) under a dead context = %v, want %v", d, err, cause)
		}
	}
}

func TestReadEnv(t *testing.T) {
	tests := []struct{ name, in, want, fault string }{
		{"clock variables only", "PATH=/bin\nFAKETIME=+0 x20\nLD_PRELOAD=/l.so\nready\n", "FAKETIME=+0 x20,LD_PRELOAD=/l.so", ""},
		{"no library", "FAKETIME=+0 x20\nready\n", "", "no LD_PRELOAD"},
		{"cut off", "FAKETIME=+0 x20\n", "", "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, err := readEnv(strings.NewReader(tt.in))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Fatalf("error %v, want %q", err, tt.fault)
				}
				return
			}
			if got := strings.Join(env, ","); err != nil || got != tt.want {
				t.Fatalf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestParseEpochRefusesOtherText(t *testing.T) {
	for _, s := range []string{"", "1795252000", "x.000000000", "1.5", "1.00000000x"} {
		if got, err := parseEpoch(s); err == nil {
			t.Errorf("parseEpoch(%q) = %v, want an error", s, got)
		}
	}
}
