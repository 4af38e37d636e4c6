package emulator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/emulator/clock"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Kept is a cluster that is kept for people's jobs, and its scheduler.
type Kept struct {
	Clock clock.Clock
	// Began is what the scheduler counts its time from, Interval the virtual time
	// from the start of one cycle to that of the next.
	Began     time.Time
	Interval  time.Duration
	Scheduler Scheduler
	// Record is handed every cycle that did something, Tell what the owner of a
	// job, by Slurm's id, should know of it; "" if that is over.
	Record func(trace.Cycle) error
	Tell   func(ctx context.Context, job int, text string) error
}

// Keep runs a cycle every interval until ctx ends, whose cause it returns, or the
// scheduler fails. Nobody tells when people submit jobs, so no cycle is left out.
// The scheduler must call jobs by Slurm's ids.
func Keep(ctx context.Context, k Kept) error {
	due := k.Clock.Now().Add(k.Interval)
	for {
		if err := k.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		c, err := k.Scheduler.Cycle(ctx, k.Clock.Now().Sub(k.Began))
		if len(c.Released)+len(c.Checked)+len(c.Refused)+len(c.Deferred)+len(c.Reheld)+len(c.Unplaced) > 0 {
			if recordErr := k.Record(c); err == nil && recordErr != nil {
				err = fmt.Errorf("record cycle %d: %w", c.Cycle, recordErr)
			}
		}
		if err != nil {
			return err
		}
		for _, told := range []struct {
			what string
			list []trace.Refusal
		}{{"cannot be scheduled", c.Unplaced}, {"refused by Slurm", c.Refused}} {
			for _, r := range told.list {
				text := ""
				if r.Reason != "" {
					text = fmt.Sprintf("slurmlab: %s: %s", told.what, r.Reason)
				}
				// The job may be gone by now.
				var refused *slurmctl.RefusedError
				if err = k.Tell(ctx, r.Job, text); err != nil && !errors.As(err, &refused) {
					return fmt.Errorf("tell job %d: %w", r.Job, err)
				}
			}
		}
		due = later(due.Add(k.Interval), k.Clock.Now())
	}
}
