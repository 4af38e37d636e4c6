package drive

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// submitter hands in the jobs of a run, each of them once in effect, one at a time. A job is
// known by its name: whether a submission without an answer took effect, and whether
// slurmctld still knows a job after it was killed, only its queue tells.
type submitter struct {
	*run
	mu   sync.Mutex
	full fullConfiguration
	// free is when the submission of a job that arrived was done last.
	free time.Time
}

// handIn submits a job that arrives.
func (d *submitter) handIn(ctx context.Context, job workloads.Job) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.submitOne(ctx, job); err != nil {
		return err
	}
	d.came(trace.ActionArrival, later(d.due(job), d.free), job.ID, "")
	d.free = d.Clock.Now()
	return nil
}

func (d *submitter) submitOne(ctx context.Context, job workloads.Job) error {
	request := d.full.submission(job)
	d.terms(job, &request)
	id, err := d.take(ctx, request)
	if err != nil {
		return fmt.Errorf("submit job %d: %w", job.ID, err)
	}
	d.lag = max(d.lag, d.Clock.Now().Sub(d.due(job)))
	d.jobs.submit(id, job.ID, limit(job))
	if err := d.full.submitted(ctx, job, id); err != nil {
		return fmt.Errorf("let job %d start first: %w", job.ID, err)
	}
	d.moved.ring()
	return nil
}

// take submits a job until it is known that Slurm has it. After a submission without an
// answer that is in doubt, and the queue tells.
func (d *submitter) take(ctx context.Context, request sbatch.Request) (int, error) {
	id, doubt := 0, false
	err := d.patiently(ctx, func() (err error) {
		if doubt {
			var known map[string]int
			if known, err = d.Slurm.Known(ctx); err != nil {
				return err
			}
			var is bool
			if id, is = known[request.Name]; is {
				return nil
			}
		}
		id, err = d.Slurm.Submit(ctx, request)
		doubt = errors.Is(err, slurmctl.ErrUnavailable)
		return err
	})
	return id, err
}

// recover resubmits jobs that slurmctld has forgotten, each time after it was killed. slurmctld saves its state every
// five seconds (SAVE_MAX_WAIT in src/slurmctld/state_save.c), and what it did since is lost. recover ends when the
// run is drained or stops.
func (d *submitter) recover(ctx context.Context, drained <-chan struct{}) error {
	for {
		select {
		case <-d.killed:
		case <-drained:
			return nil
		case <-d.paused:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := d.submitForgotten(ctx); err != nil {
			return fmt.Errorf("submit forgotten jobs again: %w", err)
		}
	}
}

func (d *submitter) submitForgotten(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var known map[string]int
	err := d.patiently(ctx, func() (err error) {
		known, err = d.Slurm.Known(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, job := range d.Request.Jobs {
		if _, is := known[strconv.Itoa(job.ID)]; is || !d.jobs.waits(job.ID) {
			continue
		}
		if err := d.submitOne(ctx, job); err != nil {
			return err
		}
		d.Log.Warn("slurmctld had forgotten a job; it was submitted again", "job", job.ID)
	}
	// Jobs may be held or wait again that had started.
	d.news.tell(d.Clock.Now())
	d.moved.ring()
	return nil
}
