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
	return len(r.Processes) > 0 || slices.ContainsFunc(r.Containers, func(c check.LeftContainer) bool { return c.State != "exited" })
}

// residue lists what is there of the run. The lease of a killed slurmlab and its
// container's end take a moment.
func (p *playedCell) residue(ctx context.Context) (check.Residue, error) {
	var r check.Residue
	var err error
	if r.Containers, err = p.containers(ctx); err != nil {
		return r, err
	}
	pids, err := p.processes(&r)
	if err != nil {
		return r, err
	}
	if r.Locks, err = locks(pids); err != nil {
		return r, err
	}
	r.Files, err = p.files()
	return r, err
}

// containers are those of the run and of the fresh one, by the label of their owner.
func (p *playedCell) containers(ctx context.Context) ([]check.LeftContainer, error) {
	out, err := docker(ctx, "ps", "--all", "--no-trunc", "--format", "{{.ID}} {{.State}} {{.Label \"org.slurmlab.owner\"}}",
		"--filter", "label=org.slurmlab.owner")
	if err != nil {
		return nil, err
	}
	var found []check.LeftContainer
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 3 {
			continue
		}
		_, owner, _ := strings.Cut(fields[2], ":")
		if strings.HasPrefix(owner, p.dir+string(filepath.Separator)) {
			found = append(found, check.LeftContainer{ID: fields[0], State: fields[1]})
		}
	}
	return found, nil
}

// processes lists those that have the socket's path in their environment: slurmlab and,
// if the engine is on this machine, all of its containers.
func (p *playedCell) processes(r *check.Residue) ([]int, error) {
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, dir := range all {
		// One that has ended meanwhile is none.
		environment, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !strings.Contains(string(environment), "="+p.point.socket()+"\x00") {
			continue
		}
		command, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(command) == 0 {
			continue
		}
		r.Processes = append(r.Processes, strings.ReplaceAll(strings.TrimRight(string(command), "\x00"), "\x00", " "))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
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

// files lists the temporary files: all below the run's TMPDIR, and hidden ones and ones
// with a temporary suffix in the run directory.
func (p *playedCell) files() ([]string, error) {
	var found []string
	for _, dir := range []string{p.temporary(), p.run} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil
			case err != nil:
				return err
			case path == dir || d.IsDir() && dir == p.run:
				return nil
			case dir == p.temporary() || strings.HasPrefix(d.Name(), ".") || strings.Contains(d.Name(), ".tmp"):
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
