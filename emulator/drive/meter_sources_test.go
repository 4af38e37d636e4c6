package drive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const stat = `cpu  66118 0 44450 287668 3552 0 489 2267 0 0
cpu0 29774 1 20600 150073 824 2 60 1096 500 0
cpu1 36344 0 23849 137595 2728 0 428 1170 0 0
cpu10 1 2 3 4 5 6 7 8 0 0
intr 1 2 3
`

func TestCoreTimeIsParsed(t *testing.T) {
	for core, want := range map[int]coreTime{
		0:  {busy: (29774 + 1 + 20600 + 2 + 60) * tick, stolen: 1096 * tick},
		1:  {busy: (36344 + 23849 + 428) * tick, stolen: 1170 * tick},
		10: {busy: (1 + 2 + 3 + 6 + 7) * tick, stolen: 8 * tick},
	} {
		if got, err := parseCore(stat, core); got != want || err != nil {
			t.Errorf("core %d: %+v, %v, want %+v", core, got, err, want)
		}
	}
	for text, want := range map[string]string{
		stat:                       "no line cpu2",
		"cpu2 1 2 3 4 5 6 7\n":     "no stolen time",
		"cpu2 1 2 x 4 5 6 7 8\n":   `"x" is not a count`,
		"cpu2 -1 2 3 4 5 6 7 8 9 ": `"-1" is not a count`,
	} {
		if got, err := parseCore(text, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

// group makes a directory of a control group with one file.
func group(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTotalOfBothVersions(t *testing.T) {
	tests := []struct {
		file, text string
		want       time.Duration
		fault      string
	}{
		{"cpu.stat", "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n", 1500 * time.Millisecond, ""},
		{"cpu.stat", "user_usec 1000000\n", 0, "no usage_usec"},
		{"cpuacct/cpuacct.usage", "1500000001\n", 1500*time.Millisecond + 1, ""},
		{"cpuacct/cpuacct.usage", "\n", 0, "is not a count"},
		{"nothing", "", 0, "no such file"},
	}
	for _, tt := range tests {
		got, err := sources{cgroup: group(t, tt.file, tt.text)}.total()
		if fault := err != nil && tt.fault != "" && strings.Contains(err.Error(), tt.fault); got != tt.want || fault != (tt.fault != "") {
			t.Errorf("%s %q: %v, %v, want %v, %q", tt.file, tt.text, got, err, tt.want, tt.fault)
		}
	}
}

// A process's own clock agrees with what the kernel tells the process about
// itself, and there is none for a process that does not exist.
func TestProcessTime(t *testing.T) {
	burn(t, 50*time.Millisecond)
	got, alive := processTime(os.Getpid())
	// getrusage(2) counts whole microseconds.
	if used := own(t); !alive || got <= 0 || got > used+time.Microsecond || got < used/2 {
		t.Errorf("%v (alive %v), the process used %v", got, alive, used)
	}
	// The largest id that the kernel gives is below 2^22.
	if _, alive := processTime(1 << 22); alive {
		t.Error("a process that does not exist is alive")
	}
}

// own is the processor time of this process.
func own(t *testing.T) time.Duration {
	t.Helper()
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// burn uses processor time.
func burn(t *testing.T, d time.Duration) {
	t.Helper()
	for begin := own(t); own(t)-begin < d; {
		continue
	}
}

// A process whose name looks like the fields after it (and whose number is beyond PID_MAX_LIMIT), one that is gone, and what has no times.
func TestProcessesAddUp(t *testing.T) {
	proc := group(t, "4194305/stat", "4194305 (a) S 1 2) R 1 7 7 0 -1 4194560 100 0 0 0 30 4 200 1 20 0 1 0 100\n")
	if err := os.MkdirAll(filepath.Join(proc, "8"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(proc, "8", "stat")); err != nil {
		t.Fatal(err)
	}
	s := sources{processes: proc, cgroup: group(t, "cpu.stat", "usage_usec 1\n")}
	if got, err := s.total(); got != 235*tick || err != nil {
		t.Errorf("%v, %v, want %v", got, err, 235*tick)
	}
	s.processes = group(t, "9/stat", "9 (a) S 1 2\n")
	if got, err := s.total(); err == nil {
		t.Errorf("a process without times has used %v", got)
	}
	s.processes = t.TempDir()
	if got, err := s.total(); err == nil {
		t.Errorf("no process has used %v", got)
	}
}
