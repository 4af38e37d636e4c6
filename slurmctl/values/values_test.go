package values

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
	}{
		{"5:00", 5 * time.Minute}, // squeue
		{"0:30", 30 * time.Second},
		{"50:00", 50 * time.Minute},
		{"1:31:00", 91 * time.Minute},
		{"00:05:00", 5 * time.Minute}, // scontrol
		{"1-00:00:00", 24 * time.Hour},
		{"365-23:59:59", 366*24*time.Hour - time.Second},
		{"UNLIMITED", 0},
		{"Partition_Limit", 0},
	} {
		if got, err := Duration(c.text); err != nil || got != c.want {
			t.Errorf("Duration(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "5", "5:0", "5:60", "1:60:00", "1-2:03", "-1:00", "1:-1:00", "1-", "a:00",
		"1:00:00:00", "99999999999:00", "1-1-00:00:00", "N/A", "INVALID"} {
		if got, err := Duration(bad); err == nil {
			t.Errorf("Duration(%q) = %v, want an error", bad, got)
		}
	}
}

func TestTime(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Time
	}{
		{"2026-11-21T09:16:36", time.Date(2026, 11, 21, 9, 16, 36, 0, time.UTC)},
		{"Unknown", time.Time{}}, {"None", time.Time{}}, {"N/A", time.Time{}},
	} {
		if got, err := Time(c.text); err != nil || !got.Equal(c.want) {
			t.Errorf("Time(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "2026-11-21", "2026-13-21T09:16:36", "2026-11-21T09:16:36Z", "2026-11-21T09:16:36.5", "09:16"} {
		if got, err := Time(bad); err == nil {
			t.Errorf("Time(%q) = %v, want an error", bad, got)
		}
	}
}

func TestGPUs(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0}, {"(null)", 0}, {"N/A", 0},
		{"gpu:3", 3}, {"gres/gpu:2", 2}, {"gres/gpu", 1}, {"gpu", 1},
		{"gpu:a100:2", 2}, {"gpu:a100", 1}, {"gpu:a100:2(S:0-1)", 2}, {"gpu(CNT:2)", 2}, {"gpu:2(IDX:0-1)", 2}, {"gpu:a100:3(IDX:0,2-3)", 3},
		{"gpu:a100:2(IDX:0,1),gpu:v100:1(IDX:2)", 3}, {"shard:4", 0}, {"nic:1,gpu:2", 2}, {"gpu:2,shard:8(-/4,4/4),mps:1K", 2}, {"gpu:1K", 1024}, {"gpu:k80", 1},
	} {
		if got, err := GPUs(c.text); err != nil || got != c.want {
			t.Errorf("GPUs(%q) = %d, %v; want %d", c.text, got, err, c.want)
		}
	}
	// "1-3" is a range that only our job_submit plugin turns into a number.
	for _, bad := range []string{"gpu:1-3", "gpu:", "gpu:4294967294,gpu:4294967294", "gpu:999999999999999999", "gpu(CNT:x)", ",gpu:1", ":2", "gpu:1Q", "shard:1T", "mps:999999999999999999M"} {
		if got, err := GPUs(bad); err == nil {
			t.Errorf("GPUs(%q) = %d, want an error", bad, got)
		}
	}
}

func TestAmount(t *testing.T) {
	const list = "cpu=4096,mem=1G,node=1024,billing=4096,gres/gpu=2048"
	for name, want := range map[string]int{"cpu": 4096, "node": 1024, "gres/gpu": 2048, "license/x": 0} {
		if got, err := Amount(list, name); err != nil || got != want {
			t.Errorf("TRES(%s) = %d, %v; want %d", name, got, err, want)
		}
	}
	for _, absent := range []string{"", "(null)", "N/A"} {
		if got, err := Amount(absent, "cpu"); err != nil || got != 0 {
			t.Errorf("TRES(%q) = %d, %v", absent, got, err)
		}
	}
	for _, bad := range []string{"cpu=1K", "cpu=", "cpu", "mem=1M,cpu"} {
		if got, err := Amount(bad, "cpu"); err == nil {
			t.Errorf("TRES(%q) = %d, want an error", bad, got)
		}
	}
}

func TestTRES(t *testing.T) {
	got, err := TRES("cpu=4096,mem=1G,gres/gpu:a100=2")
	if want := (map[string]string{"cpu": "4096", "mem": "1G", "gres/gpu:a100": "2"}); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, absent := range []string{"", "(null)", "N/A"} {
		if got, err := TRES(absent); err != nil || got != nil {
			t.Errorf("%q: %v, %v", absent, got, err)
		}
	}
	for _, bad := range []string{"cpu", "cpu=", "=1", "cpu=1,,mem=1", "cpu=1,cpu=2", "cpu=1,"} {
		if got, err := TRES(bad); err == nil {
			t.Errorf("%q: %v, want an error", bad, got)
		}
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]int{"0": 1, "0-3": 4, "4-11": 8, "0,2-3,11": 4} {
		if got, err := IDs(text); err != nil || got != want {
			t.Errorf("IDs(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "3-1", "a", "1,", "-1", "1-", "0-999999999999999999"} {
		if got, err := IDs(bad); err == nil {
			t.Errorf("IDs(%q) = %d, want an error", bad, got)
		}
	}
}

// format is secs2time_str of src/common/parse_time.c.
func format(d time.Duration) string {
	s := int(d / time.Second)
	digits := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	text := digits(s/3600%24) + ":" + digits(s/60%60) + ":" + digits(s%60)
	if days := s / 86400; days > 0 {
		text = digits(days) + "-" + text
	}
	return text
}

func TestDurationUndoesSlurm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.IntRange(1, 99*86400).Draw(t, "seconds")) * time.Second
		if got, err := Duration(format(want)); err != nil || got != want {
			t.Fatalf("Duration(%q) = %v, %v; want %v", format(want), got, err, want)
		}
	})
}

func FuzzDuration(f *testing.F) {
	for _, s := range []string{"5:00", "1:31:00", "1-00:00:00", "UNLIMITED", "-1:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Duration(s)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("Duration(%q) = %v", s, d)
		}
		if again, err := Duration(format(d)); d < 99*24*time.Hour && (err != nil || again != d) {
			t.Fatalf("Duration(%q) = %v, but %q is %v, %v", s, d, format(d), again, err)
		}
	})
}

// The forms of sbatch --time, and "the time resolution is one minute and second
// values are rounded up to the next minute" (sbatch manual).
func TestTimeLimit(t *testing.T) {
	for text, want := range map[string]int{
		"10": 600, "1:30": 120, "0:59": 60, "1:00": 60, "1:00:00": 3600, "1:00:01": 3660,
		"2-3": 2*86400 + 3*3600, "1-0:30": 86400 + 1800, "1-1:1:1": 86400 + 3600 + 120, "0": 0,
	} {
		if got, ok := TimeLimit(text); !ok || got != time.Duration(want)*time.Second {
			t.Errorf("%s: got %v %v, want %d s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-1", "1:", ":1", "1-", "a", "1.5", "1:2:3:4", "1-2:3:4:5", "1-2-3", "UNLIMITED"} {
		if got, ok := TimeLimit(text); ok {
			t.Errorf("%q: accepted as %v", text, got)
		}
	}
}

// No text makes a reader panic or return a negative value, and Amount agrees with
// TRES.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"cpu=4,mem=1M,gres/gpu=2", "gpu:a100:2(S:0-1),shard:4", "0-3,6", "1-2:3:4", "2026-11-21T09:16:36", "4294967294"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		gpus, _ := GPUs(s)
		ids, _ := IDs(s)
		limit, _ := TimeLimit(s)
		count, _ := CountOrUnset(s)
		if gpus < 0 || ids < 0 || limit < 0 || limit%time.Minute != 0 || count < 0 {
			t.Errorf("%q: %d GPUs, %d ids, limit %v, count %d", s, gpus, ids, limit, count)
		}
		if at, err := Time(s); err == nil && !at.IsZero() && at.Format(TimeLayout) != s {
			t.Errorf("Time(%q) is %v", s, at)
		}
		list, err := TRES(s)
		if err != nil {
			return
		}
		for name, amount := range list {
			want, isNumber := Count(amount)
			if got, err := Amount(s, name); (err == nil) != isNumber || got != want {
				t.Errorf("Amount(%q, %q) = %d, %v, want %s", s, name, got, err, amount)
			}
		}
	})
}

// sacct(1) prints memory with units of 1024 each, rounded where it does not divide.
func TestMiB(t *testing.T) {
	for text, want := range map[string]int{
		"4000M": 4000, "4G": 4096, "62.50G": 64000, "1T": 1 << 20, "1500": 1500, "1025K": 2, "0": 0, "2p": 2 << 30, "0.5M": 1,
		"": -1, "M": -1, "4GB": -1, "-4G": -1, "4.G": -1, ".5G": -1, "1.5.5G": -1, "2147486648": 2147486648, "1234567890123": -1, "4 G": -1, "999999999P": -1,
	} {
		got, ok := MiB(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
