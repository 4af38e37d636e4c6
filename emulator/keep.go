package emulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// retryAfter is the real time between a failure of the scheduler, as while somebody
// restarts slurmctld, and the next try.
const retryAfter = 5 * time.Second

// Kept is a cluster that is kept for people's jobs, and its scheduler.
type Kept struct {
	Clock clock.Clock
	// Began is what the scheduler counts its time from, Interval the virtual time
	// from the start of one cycle to that of the next.
	Began     time.Time
	Interval  time.Duration
	Scheduler Scheduler
	// Reconnect is called after a failure: the connection of the scheduler to Slurm
	// may be broken.
	Reconnect func(ctx context.Context) error
	// Record is handed every cycle that did something, Tell what the owner of a
	// job, by Slurm's id, should know of it; "" if that is over.
	Record func(trace.Cycle) error
	Tell   func(ctx context.Context, job int, text string) error
	// Log gets each failure.
	Log *slog.Logger
}

// Keep runs a cycle every interval until ctx ends, whose cause it returns. Nobody
// tells when people submit jobs, so no cycle is left out. The scheduler must call
// jobs by Slurm's ids.
//
// After a failure the same scheduler goes on, as it alone knows the jobs that it has
// released and Slurm has not started: Slurm still shows their nodes as free.
func Keep(ctx context.Context, k Kept) error {
	due := k.Clock.Now().Add(k.Interval)
	var untold []notice
	for {
		if err := k.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		c, err := k.Scheduler.Cycle(ctx, k.Clock.Now().Sub(k.Began))
		if len(c.Released)+len(c.Checked)+len(c.Refused)+len(c.Deferred)+len(c.Reheld)+len(c.Unplaced) > 0 {
			if recordErr := k.Record(c); recordErr != nil {
				err = errors.Join(err, fmt.Errorf("record cycle %d: %w", c.Cycle, recordErr))
			}
		}
		untold = append(untold, notices(c)...)
		if err == nil {
			untold, err = k.tell(ctx, untold)
		}
		for err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			k.Log.Error("cycle failed, trying again", "cycle", c.Cycle, "after", retryAfter, "error", err)
			if err = sleep(ctx, retryAfter); err != nil {
				return err
			}
			err = k.Reconnect(ctx)
		}
		due = later(due.Add(k.Interval), k.Clock.Now())
	}
}

// notice is what the owner of a job should know of it; an empty text takes back an
// earlier one.
type notice struct {
	job  int
	text string
}

func notices(c trace.Cycle) []notice {
	var all []notice
	for _, told := range []struct {
		what string
		list []trace.Refusal
	}{{"cannot be scheduled", c.Unplaced}, {"refused by Slurm", c.Refused}} {
		for _, r := range told.list {
			n := notice{job: r.Job}
			if r.Reason != "" {
				n.text = fmt.Sprintf("slurmlab: %s: %s", told.what, r.Reason)
			}
			all = append(all, n)
		}
	}
	return all
}

// tell hands over the notices in order, and returns those that are left at an error.
func (k Kept) tell(ctx context.Context, all []notice) ([]notice, error) {
	for i, n := range all {
		// The job may be gone by now.
		var refused *slurmctl.RefusedError
		if err := k.Tell(ctx, n.job, n.text); err != nil && !errors.As(err, &refused) {
			return all[i:], fmt.Errorf("tell job %d: %w", n.job, err)
		}
	}
	return nil, nil
}
