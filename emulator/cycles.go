package emulator

import (
	"context"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/emulator/clock"
)

// cycles runs the agent every interval of virtual time, the first time after
// one interval: "Even if the queue is empty and the nodes are idle, a submitted
// job will wait a certain number of seconds" (IPSCHED section IV), so jobs that
// arrive together meet in one auction. A cycle that took longer delays the next
// one, as a scheduler plugin's would; a late wake-up does not.
//
// With CyclesChanged, cycles that could not decide anything are left out, and
// those that remain take place when they would have without that.
func (r *run) cycles(ctx context.Context, drained <-chan struct{}) error {
	interval := r.Request.Parameters.Interval
	due, skipped := r.began.Add(interval), 0
	for {
		if err := r.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		if err := r.arrivals(ctx, due); err != nil {
			return err
		}
		// What happens from here on, this cycle may not see.
		r.news.forget()
		record, err := r.Scheduler.Cycle(ctx, r.Clock.Now().Sub(r.began))
		record.Skipped = skipped
		if emitErr := r.Emit(Event{Cycle: &record}); err == nil {
			err = emitErr
		}
		if err != nil {
			return err
		}
		select {
		case <-drained:
			if r.Scheduler.Waiting() == 0 {
				return nil
			}
		default:
		}
		due, skipped = later(due.Add(interval), r.Clock.Now()), 0
		if r.Request.Parameters.Cycles == CyclesChanged && r.Scheduler.Settled() {
			at, err := r.news.await(ctx, r.Clock)
			if err != nil {
				return err
			}
			if wait := at.Sub(due); wait > 0 {
				skipped = int((wait + interval - 1) / interval)
				due = due.Add(time.Duration(skipped) * interval)
			}
		}
	}
}

// arrivals lets the jobs that arrive at the very instant of a cycle go first;
// else it would depend on the machine's mood whether the cycle sees them. It
// waits for no backlog: a scheduler would not either.
func (r *run) arrivals(ctx context.Context, instant time.Time) error {
	before, until := 0, 0
	for _, job := range r.Request.Jobs {
		switch due := r.due(job); {
		case due.Before(instant):
			before++
			until++
		case due.Equal(instant):
			until++
		}
	}
	if submitted, _ := r.jobs.count(); submitted < before {
		return nil
	}
	for {
		if submitted, _ := r.jobs.count(); submitted >= until {
			return nil
		}
		if _, err := r.news.await(ctx, r.Clock); err != nil {
			return err
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// news tells the scheduler's loop that the cluster is no longer what the last
// cycle saw.
type news struct {
	mu sync.Mutex
	// first is the instant of the earliest news, zero for none.
	first time.Time
	bell  bell
}

// tell adds news of a virtual instant.
func (n *news) tell(at time.Time) {
	n.mu.Lock()
	if n.first.IsZero() || at.Before(n.first) {
		n.first = at
	}
	n.mu.Unlock()
	n.bell.ring()
}

// forget drops what there is.
func (n *news) forget() { n.take() }

func (n *news) take() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	first := n.first
	n.first = time.Time{}
	return first
}

// await takes the news, and waits until there is some. It sets the clock no
// deadline: an idle cluster may skip to its next event.
func (n *news) await(ctx context.Context, c clock.Clock) (time.Time, error) {
	for {
		if first := n.take(); !first.IsZero() {
			return first, nil
		}
		if _, err := c.Wait(ctx, time.Time{}, n.bell); err != nil {
			return time.Time{}, err
		}
	}
}

// bell wakes one goroutine that looks again; it may ring for nothing.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
