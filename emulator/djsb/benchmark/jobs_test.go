package benchmark_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
)

func readHere(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func TestInteractive(t *testing.T) {
	t.Parallel()
	contract(t, target{Scheduler: &benchmark.Interactive{}, Dir: t.TempDir(), Read: readHere})
}

// groups are commands that need no scheduler: a job is a process group. Submit ends when the
// group is there: setsid makes it some time after the shell has started it, and a signal to a
// group that is not there yet is an error.
func groups(t *testing.T) *benchmark.Commands {
	return &benchmark.Commands{
		SubmitCommand: `setsid "$DJSB_SCRIPT" > /dev/null 2>&1 < /dev/null & job=$!
			until kill -0 -"$job" 2> /dev/null || ! kill -0 "$job" 2> /dev/null; do sleep 0.01; done
			echo "$job"`,
		PollCommand:    `! kill -0 "$DJSB_SUBMIT_STDOUT" 2> /dev/null`,
		SuspendCommand: `kill -STOP -"$DJSB_SUBMIT_STDOUT"`,
		ResumeCommand:  `kill -CONT -"$DJSB_SUBMIT_STDOUT"`,
		CancelCommand:  `kill -KILL -"$DJSB_SUBMIT_STDOUT"`,
		Dir:            t.TempDir(),
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	contract(t, target{Scheduler: groups(t), Dir: t.TempDir(), Read: readHere})
}

// "A command that does not exist, suspend not permitted": each is one error that names the
// command and what it said.
func TestCommandsThatFail(t *testing.T) {
	ctx := context.Background()
	request := benchmark.JobRequest{Name: "x", Tasks: 1, TasksPerNode: 1, CPUsPerTask: 1, Script: "#!/bin/bash\nsleep 30\n"}
	c := groups(t)
	c.SubmitCommand = "no-such-bsub -n 1"
	if _, err := c.Submit(ctx, request); err == nil || !strings.Contains(err.Error(), "no-such-bsub") {
		t.Errorf("got %v", err)
	}
	c = groups(t)
	c.SuspendCommand, c.ResumeCommand = "echo not permitted >&2; exit 1", ""
	id, err := c.Submit(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if err = c.Suspend(ctx, id); err == nil || !strings.Contains(err.Error(), "not permitted") {
		t.Errorf("got %v", err)
	}
	if err = c.Resume(ctx, id); err == nil || !strings.Contains(err.Error(), "no command") {
		t.Errorf("got %v", err)
	}
	c.PollCommand = "exit 2"
	if _, err = c.Poll(ctx, id); err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("got %v", err)
	}
	c.PollCommand = groups(t).PollCommand
	if err = c.Cancel(ctx, id); err != nil {
		t.Error(err)
	}
}
