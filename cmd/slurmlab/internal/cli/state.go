package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/testcontainers/testcontainers-go/log"
	"golang.org/x/term"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
)

// State is everything the commands take from the process they run in.
type State struct {
	Context context.Context
	Stop    func()
	// Interrupt does what Ctrl-C does, for programs to which it is a key; nil for nothing.
	Interrupt func()
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	Terminal  bool // standard error is one
	Columns   int  // characters in a line, as the variable COLUMNS says; 0 without it
	Version   string
	Revision  string
}

// System returns the State of this process. It also turns testcontainers'
// reaper and its chatter off: the reaper's image cannot be pulled everywhere
// and would end the clusters of "slurmlab up".
func System(version, revision string) *State {
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	log.SetDefault(log.NewNoopLogger())
	ctx, stop := context.WithCancelCause(context.Background())
	interrupt, ignore := onSignal(stop, endAtOnce(os.Stdout, os.Stderr))
	unread := func() { stop(errUnread) }
	out, complaints := newOutput(os.Stdout, unread), newOutput(os.Stderr, unread)
	ctx = run.TellLate(ctx, func(sentence string) { _, _ = fmt.Fprintf(complaints, "slurmlab: %s\n", sentence) })
	return &State{
		Context: ctx, Stop: func() { out.flush(); complaints.flush(); ignore(); stop(nil) }, Interrupt: interrupt,
		Stdin: os.Stdin, Stdout: out, Stderr: complaints,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:  columnsVariable(),
		Version:  version, Revision: revision,
	}
}

var (
	errHangup = fmt.Errorf("%w, who closed the terminal (SIGHUP)", run.ErrStopped)
	errUnread = fmt.Errorf("%w, who closed the pipe that slurmlab writes to (SIGPIPE)", run.ErrStopped)
)

// Exit codes.
const (
	exitGood        = 0
	exitFailure     = 1
	exitUsage       = 2
	exitCheck       = 3
	exitInterrupted = 130
	// exitUnread is what shells report of a command that SIGPIPE killed.
	exitUnread = 141
)

// ExitCode is what a command leaves to the shell, and when.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes lists the exit codes of all commands but "shell", which passes on the code of the command it ran.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{exitGood, "all went well"},
		{exitFailure, "something failed: a run, or a machine that does not suit; standard error says what"},
		{exitUsage, "a command or input was wrong; every fault is listed, and nothing was done"},
		{exitCheck, "`plugin check` found faults of the program"},
		{exitInterrupted, "interrupted (Ctrl-C, SIGTERM or SIGHUP), after cleaning up; a second Ctrl-C or SIGTERM ends a command at once"},
		{exitUnread, "nobody read the output, as when it is piped into `head`"},
	}
}

func usage(err error) error { return faults.Usage(err) }

// Main runs one command and returns the exit code.
func Main(s *State, args []string) int {
	defer s.Stop()
	cmd := root(s)
	cmd.SetArgs(args)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return wrongFlag(c, err, args) })
	err := checkRetired(args)
	if err == nil {
		err = execute(s, cmd, args)
	}
	if err == nil {
		return exitGood
	}
	if errors.Is(context.Cause(s.Context), errUnread) {
		// As other programs whose output nobody reads, and to whom nobody listens.
		return exitUnread
	}
	var ended commandError
	if errors.As(err, &ended) {
		return ended.code
	}
	var environment *run.EnvironmentError
	if s.Context.Err() != nil && errors.As(err, &environment) {
		// The interrupt ended the question to the engine, so the engine is not at
		// fault.
		err = context.Cause(s.Context)
	}
	_, _ = fmt.Fprintf(s.Stderr, "slurmlab: %v\n", err)
	var bad faults.UsageError
	var series *run.SeriesError
	switch {
	case errors.Is(err, run.ErrStopped):
		return exitInterrupted
	case errors.As(err, &bad), errors.As(err, &series):
		return exitUsage
	case s.Context.Err() != nil:
		return exitInterrupted
	default:
		return exitFailure
	}
}
