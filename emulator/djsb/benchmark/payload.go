package benchmark

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// PayloadClock is the time that a payload runs in.
type PayloadClock interface {
	Now() time.Time
	Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error)
}

// Payload is an application that computes nothing.
type Payload struct {
	// Job is the id of its job, by which changes are told apart.
	Job  string
	Load Load
	// Work is the time that it takes alone.
	Work time.Duration
	// Start is when it began: the time that Slurm took to start it is no part of its work.
	Start time.Time
	Clock PayloadClock
	// Suspended is since when it is suspended, zero if it is not: the scheduler may have
	// suspended it before it could take a signal.
	Suspended time.Time
	// Signals brings SIGTSTP and SIGCONT.
	Signals <-chan os.Signal
}

// errServer says that the server is gone.
var errServer = errors.New("the benchmark is gone")

// Run works until the work is done.
func (p Payload) Run(ctx context.Context, conn net.Conn) error {
	out := json.NewEncoder(conn)
	progress := NewProgress(p.Work, p.Start)
	if !p.Suspended.IsZero() {
		progress.Suspend(p.Suspended)
		p.Load.Suspended = true
	}
	if err := out.Encode(message{Job: p.Job, Load: &p.Load}); err != nil {
		return fmt.Errorf("payload: %w: %w", errServer, err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	inbox := &inbox{clock: p.Clock, wake: make(chan struct{}, 1)}
	go func() {
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.Rate == nil {
				break
			}
			inbox.put(event{rate: m.Rate})
		}
		inbox.put(event{})
	}()
	go func() {
		for {
			select {
			case s := <-p.Signals:
				inbox.put(event{signal: s})
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		// Without an end, the zero time, only an event wakes.
		end, _ := progress.End()
		woken, err := p.Clock.Wait(ctx, end, inbox.wake)
		if err != nil {
			return fmt.Errorf("payload: %w", err)
		}
		if !woken {
			if progress.done(p.Clock.Now()) {
				return nil
			}
			continue
		}
		for _, e := range inbox.take() {
			switch {
			case e.rate != nil:
				progress.SetRate(*e.rate, e.at)
				continue
			case e.signal == nil:
				return fmt.Errorf("payload: %w", errServer)
			case e.signal == syscall.SIGTSTP:
				progress.Suspend(e.at)
			default:
				progress.Resume(e.at)
			}
			if err := out.Encode(message{Suspended: &progress.suspended}); err != nil {
				return fmt.Errorf("payload: %w: %w", errServer, err)
			}
		}
	}
}

// event is a rate, a signal, or, without either, the end of the connection.
type event struct {
	rate   *float64
	signal os.Signal
	at     time.Time
}

// inbox keeps events in the order in which they came.
type inbox struct {
	clock PayloadClock
	wake  chan struct{}

	mu     sync.Mutex
	events []event
}

func (i *inbox) put(e event) {
	i.mu.Lock()
	defer i.mu.Unlock()
	e.at = i.clock.Now()
	i.events = append(i.events, e)
	select {
	case i.wake <- struct{}{}:
	default:
	}
}

func (i *inbox) take() []event {
	i.mu.Lock()
	defer i.mu.Unlock()
	all := i.events
	i.events = nil
	return all
}
