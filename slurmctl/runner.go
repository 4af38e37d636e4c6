package slurmctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Runner runs one command of Slurm and returns its standard output.
//
// When the command ran and failed, the error is or wraps a *CommandError,
// which carries standard error; any other error means that the command could
// not be run. When ctx ends first, the error wraps ctx.Err().
type Runner interface {
	Run(ctx context.Context, stdin []byte, argv ...string) (stdout []byte, err error)
}

// CommandError is a command that ran and exited with another status than 0.
type CommandError struct {
	Argv []string
	// ExitCode is -1 for a command that a signal ended.
	ExitCode int
	// Stderr is what the command wrote to standard error.
	Stderr string
}

// Error implements error.
func (e *CommandError) Error() string {
	msg := oneLine(e.Stderr)
	if msg == "" {
		msg = "no message on standard error"
	}
	return fmt.Sprintf("run %s: exit status %d: %s", e.Argv[0], e.ExitCode, msg)
}

// Exec is the Runner that starts commands on this machine.
type Exec struct {
	// Env is the whole environment of the commands ("KEY=value"). It is not
	// merged with the caller's environment, in which a SQUEUE_STATES or an
	// SBATCH_PARTITION would change what the commands mean. PATH must lead to
	// Slurm's commands unless Bin is set.
	Env []string
	// Bin is the directory of Slurm's commands; empty means that they are
	// looked up in the caller's PATH.
	Bin string
	// Apart gives each command a process group of its own, so that a Ctrl-C in the terminal of
	// the caller does not end it half-way.
	Apart bool
}

// killDelay is how long a cancelled command may keep its pipes open before
// they are closed. The commands have no children, so this never runs out
// unless the machine is stuck.
const killDelay = 2 * time.Second

// Run implements Runner.
func (e *Exec) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	cmd := e.Command(ctx, argv...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run %s: %w", argv[0], context.Cause(ctx))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, &CommandError{Argv: argv, ExitCode: exit.ExitCode(), Stderr: stderr.String()}
	}
	return nil, fmt.Errorf("run %s: %w", argv[0], err)
}

// Command returns a command that is not started yet. It is killed when ctx ends.
func (e *Exec) Command(ctx context.Context, argv ...string) *exec.Cmd {
	path := argv[0]
	if e.Bin != "" {
		path = e.Bin + "/" + path
	}
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	// A nil environment would mean the caller's.
	cmd.Env = append([]string{}, e.Env...)
	cmd.WaitDelay = killDelay
	if e.Apart {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	return cmd
}

// oneLine joins the lines of a message with "; ".
func oneLine(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
