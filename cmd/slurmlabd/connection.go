package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// connection is how slurmlabd speaks to Slurm while virtual time is skipped: by two programs that run already, a reader
// for questions, submissions and cancellations, and a session for updates.
type connection struct {
	*channel.Reader
	*slurmctl.Session
}

// connect opens a connection. The session's program runs when it returns. The reader's starts
// with the first question.
func connect(ctx context.Context, state boot.State) (connection, error) {
	session, err := openSession(ctx, state)
	if err != nil {
		return connection{}, err
	}
	return connection{Reader: newReader(state), Session: session}, nil
}

// beside is a second connection with the session of the first one.
func (c connection) beside(state boot.State) connection {
	return connection{Reader: newReader(state), Session: c.Session}
}

// Close ends both programs.
func (c connection) Close() error { return errors.Join(c.Session.Close(), c.Reader.Close()) }

// Do passes a command to the session. Callers try again what got no answer.
func (c connection) Do(ctx context.Context, command string) error {
	return c.mend(ctx, c.Session.Do(ctx, command))
}

// Update passes an update to the session.
func (c connection) Update(ctx context.Context, words ...string) error {
	return c.mend(ctx, c.Session.Update(ctx, words...))
}

// mend opens a broken session again. Whether its command took effect is unknown.
func (c connection) mend(ctx context.Context, err error) error {
	if !errors.Is(err, slurmctl.ErrSessionBroken) {
		return err
	}
	return errors.Join(fmt.Errorf("%w: %w", slurmctl.ErrUnavailable, err), c.Reopen(ctx))
}

// commands are the environment of Slurm's commands.
func commands(state boot.State) *slurmctl.Exec {
	return &slurmctl.Exec{Env: append(os.Environ(), state.Env...)}
}

func newReader(state boot.State) *channel.Reader {
	shell := commands(state)
	r := channel.NewReader(shell, commandLimit)
	r.Runner = held{shell, state.Clock}
	return r
}

func openSession(ctx context.Context, state boot.State) (*slurmctl.Session, error) {
	shell := commands(state)
	s, err := slurmctl.OpenSession(ctx, shell, commandLimit)
	if err != nil {
		return nil, err
	}
	s.Long = held{shell, state.Clock}
	return s, nil
}

// held runs the few commands that have to be started while virtual time is skipped. Until one has ended the clock is
// held: while it is read from a disk, the cluster looks idle.
type held struct {
	slurmctl.Runner
	clock clock.Clock
}

// Run implements slurmctl.Runner.
func (h held) Run(ctx context.Context, stdin []byte, argv ...string) ([]byte, error) {
	h.clock.Hold()
	defer h.clock.Go()
	return h.Runner.Run(ctx, stdin, argv...)
}
