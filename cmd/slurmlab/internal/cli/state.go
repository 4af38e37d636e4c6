package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

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
	ignore := onSignal(stop)
	unread := func() { stop(errUnread) }
	return &State{
		Context: ctx, Stop: func() { ignore(); stop(nil) }, Interrupt: func() { stop(run.ErrStopped) },
		Stdin: os.Stdin, Stdout: output{os.Stdout, unread}, Stderr: output{os.Stderr, unread},
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:  columnsVariable(),
		Version:  version, Revision: revision,
	}
}

// onSignal calls stop with run.ErrStopped when a signal asks this process to end, until
// ignore is called.
func onSignal(stop func(cause error)) (ignore func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	// nohup(1) lets its command ignore SIGHUP, and Notify would undo that.
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ends...)
	go func() {
		for s := range signals {
			cause := run.ErrStopped
			if s == syscall.SIGHUP {
				cause = errHangup
			}
			stop(cause)
		}
	}()
	// Without a listener SIGPIPE would kill this process, see package os/signal. A
	// signal that is ignored would be so in other programs that it starts, too.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(signals)
	}
}

var (
	errHangup = fmt.Errorf("%w, who closed the terminal (SIGHUP)", run.ErrStopped)
	errUnread = fmt.Errorf("%w, who closed the pipe that slurmlab writes to (SIGPIPE)", run.ErrStopped)
)

// output calls unread when nobody will read what it is given, as after "| head".
type output struct {
	file   *os.File
	unread func()
}

func (o output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	return n, err
}

// Fd is for who asks whether it is a terminal.
func (o output) Fd() uintptr { return o.file.Fd() }

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

// ExitCodes lists those of all commands but "shell", which passes on that of the command it ran.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{exitGood, "all went well"},
		{exitFailure, "something failed: a run, or a machine that does not suit; standard error says what"},
		{exitUsage, "a command or input was wrong; every fault is listed, and nothing was done"},
		{exitCheck, "`plugin check` found faults of the program"},
		{exitInterrupted, "interrupted (Ctrl-C, SIGTERM or SIGHUP), after cleaning up"},
		{exitUnread, "nobody read the output, as when it is piped into `head`"},
	}
}

func usage(err error) error { return faults.Usage(err) }

// Main runs one command and returns the exit code.
func Main(s *State, args []string) int {
	defer s.Stop()
	cmd := root(s)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(s.Context)
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
	var kind *run.KindError
	switch {
	case errors.Is(err, run.ErrStopped):
		return exitInterrupted
	case errors.As(err, &bad), errors.As(err, &kind):
		return exitUsage
	case s.Context.Err() != nil:
		return exitInterrupted
	default:
		return exitFailure
	}
}
