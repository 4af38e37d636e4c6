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

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
)

// State is everything the commands take from the process they run in.
type State struct {
	Context  context.Context
	Stop     func()
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
	Terminal bool // standard error is one
	Columns  int  // characters in a line, as the variable COLUMNS says; 0 without it
	Version  string
	Revision string
}

// System returns the State of this process. It also turns testcontainers'
// reaper and its chatter off: the reaper's image cannot be pulled everywhere
// and would end the clusters of "slurmlab up".
func System(version, revision string) *State {
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	log.SetDefault(quiet{})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return &State{
		Context: ctx, Stop: stop,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:  columnsVariable(),
		Version:  version, Revision: revision,
	}
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

// Exit codes.
const (
	exitGood        = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usageError is bad usage or invalid input.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// Main runs one command and returns the exit code.
func Main(s *State, args []string) int {
	defer s.Stop()
	cmd := root(s)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(s.Context)
	if err == nil {
		return exitGood
	}
	var ended commandError
	if errors.As(err, &ended) {
		return ended.code
	}
	var environment *lab.EnvironmentError
	if s.Context.Err() != nil && errors.As(err, &environment) {
		// The interrupt ended the question to the engine, so the engine is not at
		// fault.
		err = lab.ErrStopped
	}
	_, _ = fmt.Fprintf(s.Stderr, "slurmlab: %v\n", err)
	var bad usageError
	switch {
	case errors.Is(err, lab.ErrStopped):
		return exitInterrupted
	case errors.As(err, &bad):
		return exitUsage
	case s.Context.Err() != nil:
		return exitInterrupted
	default:
		return exitFailure
	}
}
