package slurmctl

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
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
		if got, err := ParseDuration(c.text); err != nil || got != c.want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "5", "5:0", "5:60", "1:60:00", "1-2:03", "-1:00", "1:-1:00", "1-", "a:00",
		"1:00:00:00", "99999999999:00", "1-1-00:00:00", "N/A", "INVALID"} {
		if got, err := ParseDuration(bad); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", bad, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Time
	}{
		{"2026-11-21T09:16:36", time.Date(2026, 11, 21, 9, 16, 36, 0, time.UTC)},
		{"Unknown", time.Time{}}, {"None", time.Time{}}, {"N/A", time.Time{}},
	} {
		if got, err := ParseTime(c.text); err != nil || !got.Equal(c.want) {
			t.Errorf("ParseTime(%q) = %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "2026-11-21", "2026-13-21T09:16:36", "2026-11-21T09:16:36Z", "2026-11-21T09:16:36.5", "09:16"} {
		if got, err := ParseTime(bad); err == nil {
			t.Errorf("ParseTime(%q) = %v, want an error", bad, got)
		}
	}
}

func TestGPUCount(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0}, {"(null)", 0}, {"N/A", 0},
		{"gpu:3", 3}, {"gres/gpu:2", 2}, {"gres/gpu", 1}, {"gpu", 1},
		{"gpu:a100:2", 2}, {"gpu:a100:2(S:0-1)", 2}, {"gpu(CNT:2)", 2}, {"gpu:2(IDX:0-1)", 2}, {"gpu:a100:3(IDX:0,2-3)", 3},
		{"gpu:a100:2(IDX:0,1),gpu:v100:1(IDX:2)", 3}, {"shard:4", 0}, {"nic:1,gpu:2", 2},
	} {
		if got, err := gpuCount(c.text); err != nil || got != c.want {
			t.Errorf("gpuCount(%q) = %d, %v; want %d", c.text, got, err, c.want)
		}
	}
	// "1-3" is a range that only our job_submit plugin turns into a number.
	for _, bad := range []string{"gpu:1-3", "gpu:", "gpu:a100", "gpu(CNT:x)", ",gpu:1", ":2"} {
		if got, err := gpuCount(bad); err == nil {
			t.Errorf("gpuCount(%q) = %d, want an error", bad, got)
		}
	}
}

func TestTRES(t *testing.T) {
	const list = "cpu=4096,mem=1G,node=1024,billing=4096,gres/gpu=2048"
	for name, want := range map[string]int{"cpu": 4096, "node": 1024, "gres/gpu": 2048, "license/x": 0} {
		if got, err := tres(list, name); err != nil || got != want {
			t.Errorf("tres(%s) = %d, %v; want %d", name, got, err, want)
		}
	}
	for _, absent := range []string{"", "(null)", "N/A"} {
		if got, err := tres(absent, "cpu"); err != nil || got != 0 {
			t.Errorf("tres(%q) = %d, %v", absent, got, err)
		}
	}
	for _, bad := range []string{"cpu=1K", "cpu=", "cpu", "mem=1M,cpu"} {
		if got, err := tres(bad, "cpu"); err == nil {
			t.Errorf("tres(%q) = %d, want an error", bad, got)
		}
	}
}

func TestIDCount(t *testing.T) {
	for text, want := range map[string]int{"0": 1, "0-3": 4, "4-11": 8, "0,2-3,11": 4} {
		if got, err := idCount(text); err != nil || got != want {
			t.Errorf("idCount(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "3-1", "a", "1,", "-1", "1-"} {
		if got, err := idCount(bad); err == nil {
			t.Errorf("idCount(%q) = %d, want an error", bad, got)
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

func TestParseDurationUndoesSlurm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.IntRange(1, 99*86400).Draw(t, "seconds")) * time.Second
		if got, err := ParseDuration(format(want)); err != nil || got != want {
			t.Fatalf("ParseDuration(%q) = %v, %v; want %v", format(want), got, err, want)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"5:00", "1:31:00", "1-00:00:00", "UNLIMITED", "-1:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if d < 0 {
			t.Fatalf("ParseDuration(%q) = %v", s, d)
		}
		if again, err := ParseDuration(format(d)); d < 99*24*time.Hour && (err != nil || again != d) {
			t.Fatalf("ParseDuration(%q) = %v, but %q is %v, %v", s, d, format(d), again, err)
		}
	})
}
