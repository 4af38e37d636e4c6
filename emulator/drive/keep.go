package drive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// retryAfter is the real time between a failure of the scheduler, as while somebody
// restarts slurmctld, and the next try.
const retryAfter = 5 * time.Second

// KeptScheduler is the Scheduler of a kept cluster: it knows which jobs cannot start as
// things are.
type KeptScheduler interface {
	Scheduler
	Hindered() trace.Hindered
}

// Kept is a cluster that is kept for people's jobs, and its scheduler.
type Kept struct {
	Clock clock.Clock
	// Began is what the scheduler counts its time from, Interval the virtual time from the start of one cycle to the
	// start of the next.
	Began     time.Time
	Interval  time.Duration
	Scheduler KeptScheduler
	// Reconnect is called after a failure: the connection of the scheduler to Slurm
	// may be broken.
	Reconnect func(ctx context.Context) error
	// Record is handed every cycle that did something or failed, Tell what the owner of a
	// job, by Slurm's id, should know of it; "" if that is over.
	Record func(trace.Cycle) error
	Tell   func(ctx context.Context, job int, text string) error
	// Stand is handed after each cycle how the agent stands; it may keep no part.
	Stand func(watch.Agent) error
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
	stands := watch.Agent{Began: k.moment(), Interval: k.Interval}
	k.save(stands)
	told := make(map[int]bool)
	var untold []notice
	// failed counts the cycles in a row that failed: each outage of Slurm is recorded and
	// logged once.
	failed := 0
	for {
		if err := k.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		c, err := k.Scheduler.Cycle(ctx, k.Clock.Now().Sub(k.Began))
		if c.Error != "" && failed == 0 || len(c.Released)+len(c.Checked)+len(c.Refused)+len(c.Deferred)+len(c.Reheld)+len(c.Unplaced)+len(c.Narrowed) > 0 {
			if recordErr := k.Record(c); recordErr != nil {
				err = errors.Join(err, fmt.Errorf("record cycle %d: %w", c.Cycle, recordErr))
			}
		}
		untold = append(untold, notices(c, told)...)
		if err == nil {
			untold, err = k.tell(ctx, untold)
		}
		if ctx.Err() == nil {
			k.stand(&stands, c, err)
		}
		if err == nil && failed > 0 {
			k.Log.Info("cycles succeed again", "cycle", c.Cycle, "failed", failed)
			failed = 0
		}
		for err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if failed == 0 {
				k.Log.Error("cycle failed, trying again", "cycle", c.Cycle, "after", retryAfter, "error", err)
			}
			failed++
			if err = sleep(ctx, retryAfter); err != nil {
				return err
			}
			err = k.Reconnect(ctx)
		}
		due = later(due.Add(k.Interval), k.Clock.Now())
	}
}

func (k Kept) moment() watch.Moment {
	return watch.Moment{Real: time.Now(), Virtual: k.Clock.Now()}
}

// stand hands over how the agent stands after a cycle that ended with err.
func (k Kept) stand(stands *watch.Agent, c trace.Cycle, err error) {
	if err != nil {
		stands.Fail(c.Cycle, err, k.moment())
	} else {
		stands.Learn(c, k.moment())
	}
	hindered := k.Scheduler.Hindered()
	stands.Obstacles, stands.HeldByOwner = hindered.Obstacles, hindered.ByOwner
	k.save(*stands)
}

// save hands over how the agent stands. Jobs wait for no file, so that one that cannot be
// written is logged only.
func (k Kept) save(stands watch.Agent) {
	if err := k.Stand(stands); err != nil {
		k.Log.Error("state of the agent not recorded", "error", err)
	}
}

// notice is what the owner of a job should know of it; an empty text takes back an
// earlier one.
type notice struct {
	job  int
	text string
}

// notices of a cycle. told has the jobs whose owners got a notice that the start of the job takes back.
func notices(c trace.Cycle, told map[int]bool) []notice {
	var all []notice
	for _, p := range c.Checked {
		if told[p.Job] {
			delete(told, p.Job)
			all = append(all, notice{job: p.Job})
		}
	}
	for _, about := range []struct {
		what string
		list []trace.Refusal
	}{{"cannot be scheduled", c.Unplaced}, {"refused by Slurm", c.Refused}, {"held again", c.Reheld}} {
		for _, r := range about.list {
			n := notice{job: r.Job}
			if r.Reason != "" {
				n.text = shorten(fmt.Sprintf("slurmlab: %s: %s", about.what, r.Reason))
				told[r.Job] = true
			}
			all = append(all, n)
		}
	}
	return all
}

// shorten cuts a text to what Slurm takes for an Extra (_test_job_desc_fields in
// src/slurmctld/job_mgr.c).
func shorten(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
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
