package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// process is one that may be killed.
type process struct {
	pid  int
	name string
}

// living lists the processes that have a value in their environment, which names slurmlab and what it started here, and
// those in the containers. Its engine must be on this machine.
func living(value string, containers []string) ([]process, error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var found []process
	for _, dir := range all {
		// One that has ended meanwhile is none, nor is a zombie, which has no command line.
		command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(command) == 0 {
			continue
		}
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil {
			continue
		}
		// The group names the container (cgroups(7), /proc/PID/cgroup).
		group, err := os.ReadFile(filepath.Join(dir, "cgroup"))
		if err != nil {
			continue
		}
		inside := slices.ContainsFunc(containers, func(id string) bool { return strings.Contains(string(group), id) })
		if !inside && !strings.Contains("\x00"+string(environment), "="+value+"\x00") {
			continue
		}
		name := nameOf(strings.Split(strings.TrimRight(string(command), "\x00"), "\x00"))
		if name == nameless {
			// A process may write over its command line; it has its short name still.
			short, err := os.ReadFile(filepath.Join(dir, "comm"))
			if err != nil {
				continue
			}
			name = strings.TrimSpace(string(short))
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			found = append(found, process{pid, name})
		}
	}
	return found, nil
}

// Names of processes that their command line does not begin with.
const (
	plugin    = "plug-in"
	jobScript = "job script"
	// nameless is one that begins with no name (filepath.Base).
	nameless = "."
)

// nameOf names a process by its command line: "slurmctld", "slurmlabd run", "slurmstepd".
func nameOf(command []string) string {
	first, _, _ := strings.Cut(command[0], ":")
	name := filepath.Base(strings.TrimSpace(first))
	rest := strings.Join(command[1:], " ")
	switch {
	case name == "slurmlabd" || name == "slurmlab":
		// Its arguments may name a plug-in.
		if len(command) > 1 {
			name += " " + command[1]
		}
	case strings.Contains(rest, "slurm_script"):
		return jobScript
	case strings.Contains(rest, "misbehaves.py"):
		return plugin
	}
	return name
}

// choose draws a victim: first one of the names, so that a machine full of slurmds has no more of them killed, and then
// a process of that name.
func choose(all []process, name, which uint64) (process, bool) {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return process{}, false
	}
	chosen := names[name%uint64(len(names))]
	all = slices.DeleteFunc(slices.Clone(all), func(p process) bool { return p.name != chosen })
	slices.SortFunc(all, func(a, b process) int { return a.pid - b.pid })
	return all[which%uint64(len(all))], true
}

// killProcess says whether the process was there to be killed.
func killProcess(p process) bool { return syscall.Kill(p.pid, syscall.SIGKILL) == nil }

// ofSlurmlab says that slurmlab itself was killed, which then cannot clean up.
func ofSlurmlab(name string) bool { return strings.HasPrefix(name, "slurmlab ") || name == "slurmlab" }

// ofJob says that a job dies with the process: that it failed is true.
func ofJob(name string) bool {
	return slices.Contains([]string{jobScript, "slurmscript", "slurmstepd", "slurmd", "sleep"}, name)
}
