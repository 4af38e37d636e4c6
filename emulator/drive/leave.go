package drive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// leaving is a job that its user cancels at a virtual instant unless it has ended.
type leaving struct {
	job int
	at  time.Time
}

// willLeave notes that a job that was just submitted is cancelled later. It counts from the second in which Slurm has
// the job, which is later than the arrival's if sbatch was slow. It keeps within a second to the instant at which
// arrivals are.
func (r *run) willLeave(job workloads.Job) {
	if job.Outcome != workloads.CancelledPending {
		return
	}
	due := r.due(job)
	late := r.Clock.Now().Truncate(time.Second).Sub(due.Truncate(time.Second))
	l := leaving{job.ID, due.Add(late + time.Duration(job.CancelAfter)*time.Second)}
	i, _ := slices.BinarySearchFunc(r.leaving, l, func(other, l leaving) int {
		if other.at.After(l.at) {
			return 1
		}
		return -1
	})
	r.leaving = slices.Insert(r.leaving, i, l)
}

// cancel cancels the job whose user leaves first, if it has not ended.
func (r *run) cancel(ctx context.Context) error {
	next := r.leaving[0]
	r.leaving = r.leaving[1:]
	id, waits := r.jobs.id(next.job)
	if !waits {
		return nil
	}
	if err := r.patiently(ctx, func() error { return r.Slurm.Cancel(ctx, id) }); err != nil {
		return fmt.Errorf("cancel job %d: %w", next.job, err)
	}
	r.came(trace.ActionCancel, next.at, next.job, "")
	return nil
}
