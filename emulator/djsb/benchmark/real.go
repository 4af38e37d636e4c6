package benchmark

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// Real is an application that computes, with as many threads as the server tells it.
type Real struct {
	// Job is the id of its job, by which changes are told apart.
	Job   string
	Load  Load
	Triad *Triad
	// Passes are its work.
	Passes int
	// Signals brings SIGTSTP and SIGCONT.
	Signals <-chan os.Signal
	// Stop stops this process until SIGCONT comes.
	Stop func() error
}

// StopSelf stops this process, as SIGTSTP does that nobody takes.
func StopSelf() error { return syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

// Run computes until the work is done. Before the server has said so, it has no threads.
func (r Real) Run(ctx context.Context, conn net.Conn) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.Triad.SetThreads(0)
	out := json.NewEncoder(conn)
	if err := out.Encode(message{Job: r.Job, Load: &r.Load}); err != nil {
		return fmt.Errorf("payload: %w: %w", errServer, err)
	}
	go func() {
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.Threads == nil {
				break
			}
			r.Triad.SetThreads(*m.Threads)
		}
		stop(errServer)
	}()
	go func() {
		for {
			select {
			case s := <-r.Signals:
				suspended := s == syscall.SIGTSTP
				err := out.Encode(message{Suspended: &suspended})
				if suspended {
					err = errors.Join(err, r.Stop())
				}
				if err != nil {
					stop(err)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	if err := r.Triad.Run(ctx, r.Passes); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}
