package boot

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// threadsFile in LogDir has the threads of daemons when one of them did not serve.
const threadsFile = "threads.txt"

// threadsOf has a line for each thread of a process: its name, the function of the kernel in which it waits, and its call of
// the system (proc(5), /proc/PID/task/TID/comm, wchan and syscall). "-" stands for what cannot be read. waits counts the
// threads by that function.
func threadsOf(pid int) (lines []string, waits map[string]int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	waits = map[string]int{}
	for _, task := range tasks {
		read := func(name string) string {
			// The thread may have ended meanwhile.
			text, _ := os.ReadFile(filepath.Join(task, name))
			return cmp.Or(strings.TrimSpace(string(text)), "-")
		}
		where := read("wchan")
		waits[where]++
		lines = append(lines, fmt.Sprintf("%s %s wchan %s syscall %s", filepath.Base(task), read("comm"), where, read("syscall")))
	}
	return lines, waits
}

// nameThreads says what the threads of a daemon that does not serve, and of slurmctld, wait for. It leaves the threads of all
// daemons beside the logs: once the daemons have been stopped, nobody can see any more which lock they waited for.
func (c *Daemons) nameThreads(name string) string {
	var text, all strings.Builder
	for _, d := range c.daemons {
		lines, waits := threadsOf(d.proc.known.PID)
		fmt.Fprintf(&all, "%s\n%s\n", d.name, strings.Join(lines, "\n"))
		if d.name != name && d.name != Controller || len(lines) == 0 {
			continue
		}
		var counts []string
		for _, where := range slices.Sorted(maps.Keys(waits)) {
			counts = append(counts, fmt.Sprintf("%d in %s", waits[where], where))
		}
		fmt.Fprintf(&text, "; threads of %s: %s", d.name, strings.Join(counts, ", "))
	}
	if all.Len() == 0 {
		return ""
	}
	if err := os.WriteFile(filepath.Join(c.paths.logs, threadsFile), []byte(all.String()), 0o644); err != nil {
		fmt.Fprintf(&text, " (no %s: %v)", threadsFile, err)
	}
	return text.String()
}
