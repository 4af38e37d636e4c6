package boot

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Children are the processes that a process has started and that live, by their ids
// (proc(5), /proc/PID/task/TID/children).
func Children(pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil
	}
	var all []int
	for _, list := range lists {
		// A thread may have ended meanwhile.
		text, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

// Command names a process by its program, and by the command of it that slurmlabd carries
// out: "slurmchannel", "slurmlabd solver-worker". It is "" for one that has ended.
func Command(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	argv := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	name := filepath.Base(strings.TrimSuffix(strings.Fields(argv[0] + " -")[0], ":"))
	if name == "slurmlabd" && len(argv) > 1 {
		name += " " + argv[1]
	}
	if argv[0] == "" {
		return ""
	}
	return name
}
