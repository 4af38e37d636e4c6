package drive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads/events"
)

const (
	// stallLimit is the virtual time after which a run in which nothing happens
	// counts as stuck. The longest pause of a scheduler that works is backfill's
	// interval of 30 s.
	stallLimit = time.Hour
	// stallPoll is the virtual time between two looks.
	stallPoll = 10 * time.Minute
)

// unstick fails a run in which nothing happens any more: no job is submitted, starts
// or ends. With a job that runs, that may take as long as the longest limit, and
// otherwise stallLimit.
func (r *run) unstick(ctx context.Context) error {
	last, seen := r.Clock.Now(), 0
	for {
		if err := r.Clock.Sleep(ctx, stallPoll); err != nil {
			return err
		}
		running, err := r.running()
		if err != nil {
			return err
		}
		now := r.Clock.Now()
		count, longest := r.jobs.happened()
		if count += int(r.carried.Load()); count != seen {
			last, seen = now, count
		}
		submitted, done := r.jobs.count()
		if submitted < len(r.Request.Jobs) {
			// Until its next job arrives the run has nothing to do.
			last = later(last, r.due(r.Request.Jobs[submitted]))
		}
		if next, some := r.nextEvent(); some {
			last = later(last, next)
		}
		last = later(last, r.lastBegin(now, submitted))
		last = later(last, r.lastReservation(now))
		idle := now.Sub(last)
		if idle <= stallLimit || running > 0 && idle <= stallLimit+longest {
			continue
		}
		left, err := r.queue(ctx)
		if err != nil {
			return err
		}
		switch {
		case len(left) > 0:
			err = stalled(left, idle, r.jobs)
			// The agent may wait for the news of an end that nobody told.
			if untold := submitted - done - len(left); err != nil && untold > 0 {
				err = fmt.Errorf("%w; Slurm never reported the end of %d that left the queue", err, untold)
			}
			if err != nil && submitted < len(r.Request.Jobs) {
				err = fmt.Errorf("%w; %w", r.submissionHangs(submitted, idle), err)
			}
		case submitted < len(r.Request.Jobs):
			err = r.submissionHangs(submitted, idle)
		default:
			err = fmt.Errorf("no job is left, but Slurm reported the end of %d only", done)
		}
		if out := events.OutOfService(r.Request.Events[:r.carried.Load()]); err != nil && out != "" {
			err = fmt.Errorf("%w; out of service by events, with none to come that brings them back: %s", err, out)
		}
		if err != nil {
			return err
		}
	}
}

// lastBegin is the latest earliest start of the submitted jobs that have not ended, no later than now: until then the
// run may have nothing to do. It is the zero time without such a job.
func (r *run) lastBegin(now time.Time, submitted int) time.Time {
	var last time.Time
	for _, job := range r.Request.Jobs[:submitted] {
		if job.BeginAfter > 0 && r.jobs.waits(job.ID) {
			last = later(last, r.begin(job))
		}
	}
	if last.After(now) {
		return now
	}
	return last
}

// submissionHangs is the fault of a submission that hangs: the agent also waits for it.
func (r *run) submissionHangs(submitted int, idle time.Duration) error {
	return fmt.Errorf("sbatch has not taken job %d, %v of virtual time after its arrival",
		r.Request.Jobs[submitted].ID, idle.Round(time.Second))
}

// stalled says why the jobs that are left hold up the run, or nothing if one of them
// may still end by its limit.
func stalled(left []slurmctl.QueuedJob, idle time.Duration, jobs *submissions) error {
	var longest time.Duration
	reasons, states := map[string]bool{}, map[string]bool{}
	waiting, completing := 0, 0
	for _, j := range left {
		limit, _ := jobs.limit(j.ID)
		longest = max(longest, limit)
		switch j.State {
		case slurmctl.JobPending:
			waiting++
			reasons[j.Reason] = true
			continue
		case slurmctl.JobCompleting:
			completing++
		}
		states[fmt.Sprintf("job %s is %s", j.Name, j.State)] = true
	}
	since := idle.Round(time.Second)
	switch {
	case waiting == len(left):
		return fmt.Errorf("no job ran for %v of virtual time while %d wait: %s", since, waiting, list(reasons))
	case waiting+completing == len(left):
		return fmt.Errorf("no job ran for %v of virtual time and none ended: %s", since, list(states))
	case idle > longest+stallLimit:
		return fmt.Errorf("no job started or ended for %v of virtual time, an hour more than the longest limit: %s", since, list(states))
	}
	return nil
}

func list(words map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(words)), ", ")
}
