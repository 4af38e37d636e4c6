package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// running says whether something is left that ends by itself.
func running(r check.Residue) bool {
	return len(r.Processes) > 0 || slices.ContainsFunc(r.Containers, func(c check.LeftContainer) bool { return !rests(c) })
}

// rests says that nothing runs in a container: it has ended, or its slurmlab was killed before it started it.
func rests(c check.LeftContainer) bool { return c.State == "exited" || c.State == "created" }

// residue lists what is there of the run. The lease of a killed slurmlab and its
// container's end take a moment.
func (p *playedCell) residue(ctx context.Context) (check.Residue, error) {
	var r check.Residue
	var err error
	if r.Containers, err = containers(ctx, p.dir, ""); err != nil {
		return r, err
	}
	var pids []int
	if pids, r.Processes, err = processes(p.point.socket()); err != nil {
		return r, err
	}
	if r.Locks, err = locks(pids); err != nil {
		return r, err
	}
	r.Files, err = temporaryFiles(p.temporary(), p.run)
	return r, err
}

// containers returns the containers of the runs below a directory, by the label of their owner, and the cluster of "up"
// that has a name.
func containers(ctx context.Context, dir, name string) ([]check.LeftContainer, error) {
	out, err := docker(ctx, "ps", "--all", "--no-trunc", "--format", `{{.ID}} {{.State}} {{.Label "org.slurmlab.name"}} {{.Label "org.slurmlab.owner"}}`,
		"--filter", "label=org.slurmlab.role")
	if err != nil {
		return nil, err
	}
	var found []check.LeftContainer
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), " ", 4)
		if len(fields) < 4 {
			continue
		}
		_, owner, _ := strings.Cut(fields[3], ":")
		if strings.HasPrefix(owner, dir+string(filepath.Separator)) || name != "" && fields[2] == name {
			found = append(found, check.LeftContainer{ID: fields[0], State: fields[1]})
		}
	}
	return found, nil
}

// processes lists those that have a value in their environment, with their command lines: the socket's path names
// slurmlab and, if the engine is on this machine, all of its containers.
func processes(value string) (pids []int, commands []string, err error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range all {
		// One that has ended meanwhile is none.
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !strings.Contains(string(environment), "="+value+"\x00") {
			continue
		}
		command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(command) == 0 {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			pids = append(pids, pid)
			commands = append(commands, strings.ReplaceAll(strings.TrimRight(string(command), "\x00"), "\x00", " "))
		}
	}
	return pids, commands, nil
}

// locks lists the files that the processes have locked (proc(5), /proc/locks).
func locks(pids []int) ([]string, error) {
	text, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil, fmt.Errorf("read locks: %w", err)
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" {
			continue
		}
		if pid, err := strconv.Atoi(fields[4]); err == nil && slices.Contains(pids, pid) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found, nil
}

// temporaryFiles lists all files below a directory for temporary files, and in the directory of a run the hidden ones
// and those with a temporary suffix.
func temporaryFiles(temporary, run string) ([]string, error) {
	var found []string
	for _, dir := range []string{temporary, run} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case path == dir || d.IsDir() && dir == run:
				return nil
			case dir == temporary || strings.HasPrefix(d.Name(), ".") || strings.Contains(d.Name(), ".tmp"):
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
