package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// runName is the run's directory inside a cell's directory.
const runName = "run"

// make makes a run, judges it and records the verdict. The files of a run in which everything was in time are removed.
func (s *strain) make(ctx context.Context, c cell) error {
	if err := errors.Join(os.RemoveAll(c.dir), os.MkdirAll(c.dir, 0o755)); err != nil {
		return err
	}
	args := []string{
		"run", "--backend", string(c.on.Form), "--slurm", c.on.Series, "--image", *s.images[c.on.Name()], "--machine", s.machine(), "--workload", filepath.Join(c.dir, "jobs.csv"),
		"--policy", c.policy, "--core", s.core, "--out", filepath.Join(c.dir, runName), "--quiet",
	}
	if err := write(filepath.Join(c.dir, "jobs.csv"), func(w io.Writer) error { return workloads.WriteCSV(w, c.jobs()) }); err != nil {
		return err
	}
	if all := c.events(); all != nil {
		path := filepath.Join(c.dir, "events.csv")
		if err := write(path, func(w io.Writer) error { return events.Write(w, all) }); err != nil {
			return err
		}
		args = append(args, "--events", path)
	}
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, s.slurmlab, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdout, cmd.Stderr = &printed, &printed
	runErr := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "output.txt"), printed.Bytes(), 0o644); err != nil {
		return err
	}
	v, err := judge(c, printed.String())
	if err != nil {
		return errors.Join(err, runErr)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", c.name(), v)
	if v.plain() {
		if err := os.RemoveAll(c.dir); err != nil {
			return err
		}
	}
	return s.record.add(entry{time.Now().UTC().Format(time.DateOnly), s.setting(), c.seed, c.on.Name(), c.policy, v})
}

func write(path string, content func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

const (
	// fileBytes is the size of a file of the load, which a disk of 200 MB/s writes in a third of a second.
	fileBytes = 64 << 20
	// pause is between two steps of a load.
	pause = 100 * time.Millisecond
)

// writeFiles writes and syncs files one after the other until ctx ends.
func writeFiles(ctx context.Context, dir string) error {
	path, content := filepath.Join(dir, "load"), bytes.Repeat([]byte("slurmlab"), fileBytes/8)
	for rest(ctx) {
		file, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("load: %w", err)
		}
		_, err = file.Write(content)
		if err = errors.Join(err, file.Sync(), file.Close(), os.Remove(path)); err != nil {
			return fmt.Errorf("load: %w", err)
		}
	}
	return nil
}

// startContainers starts containers that do nothing, one after the other, until ctx ends.
func startContainers(ctx context.Context, image string) error {
	for rest(ctx) {
		// Each ends by itself, so that none is left behind.
		out, err := exec.Command("docker", "run", "--rm", "--network", "none", "--entrypoint", "true", image).CombinedOutput()
		if err != nil {
			return fmt.Errorf("load: docker run: %w: %s", err, out)
		}
	}
	return nil
}

// rest waits before the next step of a load, and says whether there is one.
func rest(ctx context.Context) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
