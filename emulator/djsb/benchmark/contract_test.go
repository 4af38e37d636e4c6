package benchmark_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// target is an implementation with what its jobs write.
type target struct {
	Scheduler benchmark.Scheduler
	// Dir is a directory that jobs can write to.
	Dir string
	// Read returns a file of that directory, empty if there is none.
	Read func(t *testing.T, path string) string
}

// contract runs all cases that every implementation of jobs.Scheduler keeps. A case asserts no time in seconds but what the job
// itself sleeps.
func contract(t *testing.T, of target) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*hosttest.Hang)
	defer cancel()
	request := func(name, script string) benchmark.JobRequest {
		return benchmark.JobRequest{Name: name, Tasks: 1, TasksPerNode: 1, CPUsPerTask: 1, TimeLimit: time.Hour, Script: "#!/bin/bash\n" + script}
	}
	submit := func(t *testing.T, r benchmark.JobRequest) string {
		t.Helper()
		id, err := of.Scheduler.Submit(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = of.Scheduler.Cancel(context.WithoutCancel(ctx), id) })
		return id
	}
	until := func(t *testing.T, id string, good func(benchmark.Status) bool) benchmark.Status {
		t.Helper()
		var s benchmark.Status
		hosttest.UntilOr(t, func() bool {
			var err error
			if s, err = of.Scheduler.Poll(ctx, id); err != nil {
				t.Fatal(err)
			}
			if !good(s) && s.State.Ended() {
				t.Fatalf("got %+v", s)
			}
			return good(s)
		}, func() string { return fmt.Sprintf("got %+v", s) })
		return s
	}
	in := func(state benchmark.State) func(benchmark.Status) bool {
		return func(s benchmark.Status) bool { return s.State == state }
	}
	// counting writes a line every fifth of a second for longer than a test takes.
	counting := func(name string) (file, script string) {
		file = of.Dir + "/" + name
		return file, fmt.Sprintf("for ((i = 0; i < 10000; i++)); do echo $i >> %s; sleep 0.2; done\n", file)
	}
	lines := func(t *testing.T, file string) int { return strings.Count(of.Read(t, file), "\n") }
	// still waits until no line comes for a second, and returns how many there are. Slurm sends SIGTSTP first and SIGSTOP a
	// second or two later.
	still := func(t *testing.T, file string) (count int) {
		t.Helper()
		hosttest.Until(t, "no line comes for a second", func() bool {
			count = lines(t, file)
			time.Sleep(time.Second)
			return lines(t, file) == count
		})
		return count
	}

	t.Run("a job completes after its start", func(t *testing.T) {
		s := until(t, submit(t, request("ends", "sleep 2\n")), in(benchmark.Completed))
		// Records of whole seconds may be off by one.
		if d := s.End.Sub(s.Start); s.Submit.IsZero() || s.Start.Before(s.Submit) || d < time.Second || s.Reason != "" {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("a job fails and says why", func(t *testing.T) {
		if s := until(t, submit(t, request("fails", "exit 3\n")), in(benchmark.Failed)); !strings.Contains(s.Reason, "3") || s.End.Before(s.Start) {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("a suspended job does nothing until it is resumed", func(t *testing.T) {
		file, script := counting("suspended")
		id := submit(t, request("suspended", script))
		until(t, id, func(s benchmark.Status) bool { return s.State == benchmark.Running && lines(t, file) > 1 })
		if err := of.Scheduler.Suspend(ctx, id); err != nil {
			t.Fatal(err)
		}
		until(t, id, in(benchmark.Suspended))
		before := still(t, file)
		if err := of.Scheduler.Resume(ctx, id); err != nil {
			t.Fatal(err)
		}
		until(t, id, func(s benchmark.Status) bool { return s.State == benchmark.Running && lines(t, file) > before })
		// It goes on where it was.
		for i, line := range strings.Fields(of.Read(t, file)) {
			if line != strconv.Itoa(i) {
				t.Fatalf("line %d is %q", i, line)
			}
		}
	})
	t.Run("a cancelled job has failed", func(t *testing.T) {
		file, script := counting("cancelled")
		id := submit(t, request("cancelled", script))
		until(t, id, func(s benchmark.Status) bool { return s.State == benchmark.Running && lines(t, file) > 0 })
		if err := of.Scheduler.Cancel(ctx, id); err != nil {
			t.Fatal(err)
		}
		if s := until(t, id, in(benchmark.Failed)); s.Reason == "" {
			t.Errorf("got %+v", s)
		}
		still(t, file)
		if err := of.Scheduler.Cancel(ctx, id); err != nil {
			t.Errorf("once more: %v", err)
		}
	})
	t.Run("an unknown job is an error", func(t *testing.T) {
		for name, ask := range map[string]func() error{
			"poll":    func() error { _, err := of.Scheduler.Poll(ctx, "987654"); return err },
			"suspend": func() error { return of.Scheduler.Suspend(ctx, "987654") },
			"resume":  func() error { return of.Scheduler.Resume(ctx, "987654") },
		} {
			if err := ask(); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
