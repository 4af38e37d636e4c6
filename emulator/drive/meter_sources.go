package drive

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sources are where the counters come from.
type sources struct {
	stat, cgroup string
	// processes is where the processes are counted instead of the control group, empty
	// for not.
	processes string
	// core is the only processor core that this process may use; it counts only if
	// alone is set.
	core  int
	alone bool
}

// system returns the sources of the machine on which the caller runs.
func system() sources {
	s := sources{stat: "/proc/stat", cgroup: "/sys/fs/cgroup"}
	if os.Getuid() != 0 {
		// Without root there is no control group of the cluster's own (package boot), but
		// a process namespace of its own.
		s.processes = "/proc"
	}
	s.core, s.alone = onlyCore()
	return s
}

// processTime reads the processor time of a process without its children,
// false if there is none of that id.
func processTime(pid int) (time.Duration, bool) {
	// MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of the kernel's
	// posix-timers.h. Unlike /proc/PID/stat it is not counted in ticks.
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}

// Computed returns the processor time that the control group of the caller has used so far, without the time of one
// process.
func Computed(except int) (time.Duration, error) {
	total, err := system().total()
	// The process may be none, or gone.
	used, _ := processTime(except)
	return total - used, err
}

// total reads the processor time of the cluster, dead processes included.
func (s sources) total() (time.Duration, error) {
	if s.processes != "" {
		return allProcesses(s.processes)
	}
	text, err := os.ReadFile(filepath.Join(s.cgroup, "cpu.stat"))
	if err == nil {
		return unifiedUsage(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	// Control groups of version 1.
	if text, err = os.ReadFile(filepath.Join(s.cgroup, "cpuacct", "cpuacct.usage")); err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	return legacyUsage(string(text))
}

// allProcesses adds up what all processes of a process namespace have used, and what those
// had used that they have waited for. What nobody waits for is waited for by the first.
func allProcesses(proc string) (time.Duration, error) {
	all, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("read processor time: no process in %s", proc)
	}
	var total time.Duration
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			// It has ended, and its parent has waited for it.
			continue
		}
		// The name of a process, in parentheses, may contain anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		// utime, stime, cutime and cstime of proc_pid_stat(5), the 14th to 17th field, in ticks.
		const own, children, last = 14 - 3, 16 - 3, 17 - 3
		if len(fields) <= last {
			return 0, fmt.Errorf("read processor time: %q has no times", text)
		}
		first := own
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return 0, fmt.Errorf("read processor time: %w", err)
		}
		if used, alive := processTime(pid); alive {
			// Its own time is known to the nanosecond.
			total, first = total+used, children
		}
		for _, field := range fields[first : last+1] {
			d, err := count(field, tick)
			if err != nil {
				return 0, err
			}
			total += d
		}
	}
	return total, nil
}

// unifiedUsage reads cpu.stat of control groups of version 2.
func unifiedUsage(text string) (time.Duration, error) {
	for line := range strings.Lines(text) {
		if number, ok := strings.CutPrefix(line, "usage_usec "); ok {
			return count(number, time.Microsecond)
		}
	}
	return 0, fmt.Errorf("read processor time: no usage_usec in %q", text)
}

// legacyUsage reads cpuacct.usage of control groups of version 1.
func legacyUsage(text string) (time.Duration, error) { return count(text, time.Nanosecond) }

// coreTime is what a processor core has done since the machine was started.
type coreTime struct{ busy, stolen time.Duration }

func (s sources) coreTime() (coreTime, error) {
	text, err := os.ReadFile(s.stat)
	if err != nil {
		return coreTime{}, fmt.Errorf("read processor time: %w", err)
	}
	return parseCore(string(text), s.core)
}

// tick is USER_HZ, which is 100 on all architectures that Slurm is built for.
const tick = 10 * time.Millisecond

// parseCore reads the line of one core in /proc/stat (proc_stat(5)). User and
// nice time contain that of guests.
func parseCore(text string, core int) (coreTime, error) {
	name := "cpu" + strconv.Itoa(core)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != name {
			continue
		}
		const user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
		if len(fields) <= steal {
			return coreTime{}, fmt.Errorf("read processor time: %q has no stolen time", line)
		}
		var t coreTime
		for i, to := range map[int]*time.Duration{
			user: &t.busy, nice: &t.busy, system: &t.busy, irq: &t.busy, softirq: &t.busy, steal: &t.stolen,
		} {
			d, err := count(fields[i], tick)
			if err != nil {
				return coreTime{}, err
			}
			*to += d
		}
		return t, nil
	}
	return coreTime{}, fmt.Errorf("read processor time: no line %s in /proc/stat", name)
}

func count(number string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("read processor time: %q is not a count", number)
	}
	return time.Duration(n) * unit, nil
}
