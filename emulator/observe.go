package emulator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/slurmctl"
)

const (
	// reportInterval is the real time between two reports of progress.
	reportInterval = 500 * time.Millisecond
	// emptyPoll is the virtual time between two looks at a queue that should
	// be empty: the last jobs are completing.
	emptyPoll = time.Second
	// stallLimit is the virtual time without a running job after which a run
	// that still has jobs counts as stuck: some job can never start. The
	// longest pause of a scheduler that works is backfill's interval of 30 s.
	stallLimit = time.Hour
	// stallPoll is the virtual time between two looks for a running job.
	stallPoll = 10 * time.Minute
)

// errDrained is how the observers of a run learn that it is over.
var errDrained = errors.New("all jobs have ended")

// observe follows the run until all jobs have ended, then closes drained.
//
// As long as jobs run, nobody asks Slurm a question. An answer costs slurmctld
// virtual time, and the questions would come at instants that depend on the real
// clock, so that the same run could not be repeated.
func (r *run) observe(ctx context.Context, drained chan<- struct{}) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return r.Ends(ctx, func(id int) {
			r.jobs.end(id)
			r.moved.ring()
			r.news.tell(r.Clock.Now())
		})
	})
	group.Go(func() error { return r.report(ctx) })
	group.Go(func() error { return r.unstick(ctx) })
	group.Go(func() error { return r.drain(ctx) })
	if err := group.Wait(); !errors.Is(err, errDrained) {
		return err
	}
	if err := r.progress(); err != nil {
		return err
	}
	close(drained)
	r.news.tell(r.Clock.Now())
	return nil
}

// report emits the progress in real time, for people.
func (r *run) report(ctx context.Context) error {
	for {
		if err := r.progress(); err != nil {
			return err
		}
		if err := sleep(ctx, reportInterval); err != nil {
			return err
		}
	}
}

func (r *run) progress() error {
	running, err := r.Running()
	if err != nil {
		return err
	}
	submitted, done := r.jobs.count()
	return r.Emit(Event{Progress: &Progress{
		Time: max(0, r.Clock.Now().Sub(r.began).Seconds()), Submitted: submitted, Running: running, Done: done,
	}})
}

// drain returns errDrained once every job has been reported as ended and the
// queue agrees: a job that Slurm requeues is reported as ended and runs again.
func (r *run) drain(ctx context.Context) error {
	total := len(r.Request.Jobs)
	for {
		if _, done := r.jobs.count(); done == total {
			break
		}
		if _, err := r.Clock.Wait(ctx, time.Time{}, r.moved); err != nil {
			return err
		}
	}
	for {
		left, err := r.queue(ctx)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			return errDrained
		}
		if err := r.Clock.Sleep(ctx, emptyPoll); err != nil {
			return err
		}
	}
}

// queue reads the jobs of the run that have not left the queue.
func (r *run) queue(ctx context.Context) ([]slurmctl.QueuedJob, error) {
	jobs, err := r.Client.Queue(ctx)
	if err != nil {
		return nil, fmt.Errorf("read queue: %w", err)
	}
	own := slices.DeleteFunc(jobs, func(j slurmctl.QueuedJob) bool { return !r.jobs.owns(j.ID) })
	for _, j := range own {
		if j.Unread != nil {
			return nil, fmt.Errorf("read queue: %w", j.Unread)
		}
	}
	return own, nil
}

// unstick fails a run in which nothing happens any more.
func (r *run) unstick(ctx context.Context) error {
	busy, last := r.Clock.Now(), 0
	for {
		if err := r.Clock.Sleep(ctx, stallPoll); err != nil {
			return err
		}
		running, err := r.Running()
		if err != nil {
			return err
		}
		now := r.Clock.Now()
		submitted, done := r.jobs.count()
		if running > 0 || done != last || submitted < len(r.Request.Jobs) {
			busy, last = now, done
			continue
		}
		if now.Sub(busy) <= stallLimit {
			continue
		}
		jobs, err := r.queue(ctx)
		if err != nil {
			return err
		}
		if err := stalled(jobs, done, now.Sub(busy)); err != nil {
			return err
		}
		busy = now
	}
}

// stalled says why the jobs do not run, or nothing if one does.
func stalled(left []slurmctl.QueuedJob, done int, idle time.Duration) error {
	reasons := map[string]bool{}
	for _, j := range left {
		if j.State != slurmctl.JobPending {
			return nil
		}
		reasons[j.Reason] = true
	}
	if len(left) == 0 {
		return fmt.Errorf("no job is left, but Slurm reported the end of %d only", done)
	}
	return fmt.Errorf("no job ran for %v of virtual time while %d wait: %s",
		idle.Round(time.Second), len(left), strings.Join(slices.Sorted(maps.Keys(reasons)), ", "))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
