package run

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Holder is what has a core.
type Holder struct {
	Core int
	// Machine is the name of the machine whose core it is, empty for this one.
	Machine string
	// Cluster is the one that is confined to the core, nil as long as there is only
	// the process that is going to start it.
	Cluster *Container
	// Process is the id of the one that has locked the core, 0 for none or one that
	// this user may not see.
	Process int
}

// String names the core and what has it.
func (h Holder) String() string {
	var by []string
	if h.Cluster != nil {
		name := "a cluster"
		if h.Cluster.Name != "" {
			name = h.Cluster.Role + " " + h.Cluster.Name
		}
		by = append(by, name, fmt.Sprintf("container %.12s", h.Cluster.ID))
	}
	switch {
	case h.Process > 0:
		by = append(by, fmt.Sprintf("process %d", h.Process))
	case h.Cluster == nil:
		by = append(by, "another process")
	}
	of := ""
	if h.Machine != "" {
		of = " of " + h.Machine
	}
	return fmt.Sprintf("core %d%s: %s", h.Core, of, strings.Join(by, ", "))
}

// confinedTo says whether a running cluster has the core.
func (c Container) confinedTo(core int) bool {
	return c.Core == strconv.Itoa(core) && c.State == "running"
}

// lockOwner returns the id of the process that has locked a file, 0 if that cannot be
// found out, as where there is no /proc/locks.
func lockOwner(path string) int {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0
	}
	var file unix.Stat_t
	if err = unix.Stat(path, &file); err != nil {
		return 0
	}
	return lockedBy(string(locks), fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(file.Dev)), unix.Minor(uint64(file.Dev)), file.Ino))
}

// lockedBy looks for a file in the text of /proc/locks (proc(5)), in which it is
// called MAJOR:MINOR:INODE: "1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF".
func lockedBy(locks, file string) int {
	for line := range strings.Lines(locks) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" || fields[5] != file {
			continue
		}
		if process, err := strconv.Atoi(fields[4]); err == nil && process > 0 {
			return process
		}
	}
	return 0
}
