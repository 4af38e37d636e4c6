package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/slurmctl"
)

const (
	// reportInterval is the real time between two reports of progress.
	reportInterval = 500 * time.Millisecond
	// emptyPoll is the virtual time between two looks at a queue that should
	// be empty: the last jobs are completing.
	emptyPoll = time.Second
)

// errDrained is how the observers of a run learn that it is over.
var errDrained = errors.New("all jobs have ended")

// observe follows the run until all jobs have ended, then closes drained, or until it stops.
//
// As long as jobs run, nobody asks Slurm a question. An answer costs slurmctld
// virtual time, and the questions would come at instants that depend on the real
// clock, so that the same run could not be repeated.
func (r *run) observe(ctx context.Context, drained chan<- struct{}) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return r.Ends(ctx, func(id int) {
			faultpoint.At(faultpoint.End)
			r.jobs.end(id)
			r.moved.ring()
			r.left.ring()
			if r.Scheduler != nil && !r.past(id) {
				r.ended.add(id)
			}
			r.news.tell(r.Clock.Now())
		})
	})
	group.Go(func() error { return r.report(ctx) })
	group.Go(func() error { return r.unstick(ctx) })
	group.Go(func() error { return r.watchClock(ctx) })
	group.Go(func() error { return r.drain(ctx) })
	err := group.Wait()
	if !errors.Is(err, errDrained) && !errors.Is(err, errPaused) {
		return err
	}
	if progressErr := r.progress(); progressErr != nil || errors.Is(err, errPaused) {
		return progressErr
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
	if err := r.heard.tell(); err != nil {
		return err
	}
	running, err := r.running()
	if err != nil {
		return err
	}
	submitted, done := r.jobs.count()
	return r.Emit(Event{Progress: &Progress{
		Time: max(0, r.Clock.Now().Sub(r.began).Seconds()), Began: r.began, Submitted: submitted, Running: running, Done: done,
	}})
}

// running counts the running jobs of the run.
func (r *run) running() (int, error) {
	seem, err := r.Running()
	return r.jobs.runs(seem), err
}

// drain returns errPaused when the run stops. It returns errDrained once every job has been reported as ended and the
// queue agrees: a job that Slurm requeues is reported as ended and runs again.
func (r *run) drain(ctx context.Context) error {
	total := len(r.Request.Jobs)
	for {
		if _, done := r.jobs.count(); done == total {
			break
		}
		if r.isPaused() {
			return errPaused
		}
		if _, err := r.Clock.Wait(ctx, time.Time{}, r.moved); err != nil {
			return err
		}
	}
	faultpoint.At(faultpoint.Drain)
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
	var jobs []slurmctl.QueuedJob
	err := r.patiently(ctx, func() (err error) {
		jobs, err = r.Slurm.Queue(ctx)
		return err
	})
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

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
