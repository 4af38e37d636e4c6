package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Position is where a run stopped, for the run that goes on from there. The rest is in
// what its cluster left: Slurm knows its jobs and the accounting, and the runner of external
// nodes reads from Slurm which of them run.
type Position struct {
	// Began is the virtual start of the run. Instant is the virtual time at which its cluster was ended, not before
	// Request.StopAt.
	Began   time.Time `json:"began"`
	Instant time.Time `json:"instant"`
	// Jobs are those that were submitted.
	Jobs []Handed `json:"jobs"`
	// Leaving are submitted jobs that their users cancel later.
	Leaving []Leaving `json:"leaving,omitempty"`
	// ArrivalLagMax and Lateness are those of End so far, Cycles the number of recorded cycles, NextCycle the
	// instant of the next one.
	ArrivalLagMax float64         `json:"arrival_lag_max_s"`
	Lateness      *trace.Lateness `json:"lateness,omitempty"`
	Cycles        int             `json:"cycles"`
	NextCycle     time.Time       `json:"next_cycle,omitzero"`
	// Events counts the events that are over, which are the first ones of Request.Events.
	Events int `json:"events,omitempty"`
	// Revived says that a daemon had died and served again.
	Revived bool `json:"revived,omitempty"`
	// Held says that Slurm holds all waiting jobs, as for an agent.
	Held bool `json:"held"`
	// Agent is what the agent knows beside Slurm, in its own words; nil without one.
	Agent json.RawMessage `json:"agent,omitempty"`
}

// Handed is a job of the workload and its id in Slurm.
type Handed struct {
	Job   int  `json:"job"`
	ID    int  `json:"slurm_id"`
	Ended bool `json:"ended,omitempty"`
}

// Leaving is a job of the workload that is cancelled at a virtual instant.
type Leaving struct {
	Job int       `json:"job"`
	At  time.Time `json:"at"`
}

// errPaused is how the parts of a run learn that it stops for a checkpoint.
var errPaused = errors.New("stopped for a checkpoint")

// restore puts the run where the one before it stopped.
func (r *run) restore(p Position) {
	r.began = p.Began
	limits := make(map[int]time.Duration, len(r.Request.Jobs))
	full := make(map[int]bool)
	for _, job := range r.Request.Jobs {
		limits[job.ID] = limit(job)
		full[job.ID] = r.Request.FullConfiguration != "" && job.Class == r.Request.FullConfiguration
	}
	for _, j := range p.Jobs {
		r.jobs.submit(j.ID, j.Job, limits[j.Job])
		if j.Ended {
			r.jobs.end(j.ID)
			continue
		}
		if full[j.Job] {
			r.submitter.full.ids = append(r.submitter.full.ids, j.ID)
		}
	}
	for _, l := range p.Leaving {
		r.leaving = append(r.leaving, leaving{l.Job, l.At})
	}
	r.carried.Store(int64(p.Events))
	r.revived.Store(p.Revived)
	r.lag = time.Duration(p.ArrivalLagMax * float64(time.Second))
	r.late.record = *p.Lateness.Clone()
	r.recorded = p.Cycles
	interval := r.Request.Policy.Parameters.Interval
	r.nextCycle = p.NextCycle
	if r.nextCycle.IsZero() {
		r.nextCycle = r.began.Add(interval)
	}
	for interval > 0 && r.nextCycle.Before(p.Instant) {
		r.nextCycle = r.nextCycle.Add(interval)
	}
}

// past says that a job had ended before the checkpoint.
func (r *run) past(id int) bool {
	if r.Request.From == nil {
		return false
	}
	for _, j := range r.Request.From.Jobs {
		if j.ID == id {
			return j.Ended
		}
	}
	return false
}

// catchUp waits until the instant of the checkpoint: its cluster was booted somewhat earlier.
func (r *run) catchUp(ctx context.Context) error {
	if r.Request.From == nil {
		return nil
	}
	return r.Clock.SleepUntil(ctx, r.Request.From.Instant)
}

// mostReleased is how many jobs one command releases.
const mostReleased = 100

// convert gives the waiting jobs to one of Slurm's own schedulers, where an agent holds the jobs of the checkpoint.
// They are released in the order of their submission.
func (r *run) convert(ctx context.Context) error {
	from := r.Request.From
	if from == nil || !from.Held || r.Request.Policy.HasAgent() {
		return nil
	}
	queue, err := r.queue(ctx)
	if err != nil {
		return err
	}
	held := make(map[int]bool, len(queue))
	for _, j := range queue {
		held[j.ID] = j.Held()
	}
	var ids []string
	for i, j := range from.Jobs {
		if held[j.ID] {
			ids = append(ids, strconv.Itoa(j.ID))
		}
		if len(ids) == mostReleased || i == len(from.Jobs)-1 && len(ids) > 0 {
			command := "release " + strings.Join(ids, " ")
			if err := r.patiently(ctx, func() error { return r.Slurm.Do(ctx, command) }); err != nil {
				return fmt.Errorf("release the jobs of the checkpoint: %w", err)
			}
			ids = nil
		}
	}
	return nil
}

// stopsBefore says that what is due then is no part of this run any more.
func (r *run) stopsBefore(due time.Time) bool { return !r.stop.IsZero() && !due.Before(r.stop) }

// pause holds the clock when the run is to stop, and tells all parts of it. It returns
// without that when the run is drained before.
func (r *run) pause(ctx context.Context, drained <-chan struct{}) error {
	if r.stop.IsZero() {
		return nil
	}
	over, err := r.Clock.Wait(ctx, r.stop, drained)
	if err != nil || over {
		return err
	}
	// The end of the run takes back no hold: nothing happens after it.
	r.Clock.Hold()
	close(r.paused)
	r.moved.ring()
	r.news.tell(r.Clock.Now())
	return nil
}

func (r *run) isPaused() bool {
	select {
	case <-r.paused:
		return true
	default:
		return false
	}
}

// checkpoint has the cluster leave its state, and returns the position of the run.
func (r *run) checkpoint(ctx context.Context) (*Position, error) {
	p := &Position{
		Began: r.began, Instant: r.Clock.Now(), Jobs: r.jobs.handed(), ArrivalLagMax: r.lagMax(), Lateness: r.lateness(), Cycles: r.recorded,
		Events: int(r.carried.Load()), Revived: r.revived.Load(), Held: r.Request.Policy.HasAgent(),
	}
	if r.Scheduler != nil {
		p.NextCycle = r.nextCycle
	}
	for _, l := range r.leaving {
		p.Leaving = append(p.Leaving, Leaving{l.job, l.at})
	}
	if err := r.Freeze(ctx); err != nil {
		return nil, fmt.Errorf("write checkpoint: %w", err)
	}
	return p, nil
}
