package emulator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/emulator/clock"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Scheduler is one pass of an agent at virtual time now since the start.
type Scheduler interface {
	Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error)
	// Waiting is the number of jobs that were released and not yet verified.
	Waiting() int
}

// Driver is one run inside a booted cluster.
type Driver struct {
	Client  *slurmctl.Client
	Clock   clock.Clock
	Request Request
	// Scheduler is nil where Slurm schedules by itself.
	Scheduler Scheduler
	// Watch returns when a daemon is gone, with the fault.
	Watch func(ctx context.Context) error
	// Emit hands an event to slurmlab; an error ends the run.
	Emit func(Event) error
	// Out is the directory for sacct.txt and sdiag.txt.
	Out string
}

// ErrStopped is the cause of a run that was told to stop.
var ErrStopped = errors.New("stopped before its end")

// Drive carries out the run and collects the accounting. The End says how it
// went; it is complete only if every job ended and is accounted for.
func (d *Driver) Drive(ctx context.Context) End {
	end := End{Status: trace.StatusFailed}
	if err := os.MkdirAll(d.Out, 0o755); err != nil {
		end.Reason = fmt.Sprintf("make output directory: %v", err)
		return end
	}
	r := &run{Driver: d, began: d.Clock.Now()}
	started := time.Now()
	err := r.schedule(ctx)
	end.RealSeconds = time.Since(started).Seconds()
	end.Submitted = int(r.submitted.Load())
	if err == nil {
		err = r.collect(ctx, r.finished)
	} else {
		// What is there is still worth having, if Slurm answers at all.
		rescue, cancel := context.WithTimeout(context.WithoutCancel(ctx), rescueLimit)
		_ = r.collect(rescue, r.anything)
		cancel()
	}
	end.ArrivalLagMax = r.lagMax()
	switch {
	case err == nil:
		end.Status = trace.StatusComplete
	case errors.Is(err, ErrStopped):
		end.Status, end.Reason = trace.StatusIncomplete, err.Error()
	default:
		end.Reason = err.Error()
	}
	return end
}

// schedule runs submission, scheduler, progress and watchdog side by side until
// the last job has ended or one of them fails.
func (r *run) schedule(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The watchdog stands outside the group: a dead daemon must cancel the
	// commands that hang on it, and name itself as the cause.
	go func() {
		if err := r.Watch(ctx); ctx.Err() == nil {
			stop(err)
		}
	}()
	group, groupCtx := errgroup.WithContext(ctx)
	drained := make(chan struct{})
	group.Go(func() error { return r.submit(groupCtx) })
	group.Go(func() error { return r.observe(groupCtx, drained) })
	if r.Scheduler != nil {
		group.Go(func() error { return r.cycles(groupCtx, drained) })
	}
	err := group.Wait()
	if err != nil {
		// A command may notice a dead daemon before the watchdog does; the
		// daemon's name and log say more than the command's complaint.
		select {
		case <-ctx.Done():
		case <-time.After(verdictLimit):
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// verdictLimit is five intervals of the watchdog.
const verdictLimit = time.Second

// cycles runs the agent every interval of virtual time, the first time after
// one interval: "Even if the queue is empty and the nodes are idle, a submitted
// job will wait a certain number of seconds" (IPSCHED section IV), so jobs that
// arrive together meet in one auction. A cycle that took longer delays the next
// one, as a scheduler plugin's would.
func (r *run) cycles(ctx context.Context, drained <-chan struct{}) error {
	began := r.began
	for {
		if err := r.Clock.SleepUntil(ctx, began.Add(r.Request.Parameters.Interval)); err != nil {
			return err
		}
		began = r.Clock.Now()
		record, err := r.Scheduler.Cycle(ctx, began.Sub(r.began))
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
	}
}
