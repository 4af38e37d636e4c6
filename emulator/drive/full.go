package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// fullConfiguration carries out the rule of ESP for jobs that take the whole machine: "NO OTHER JOB IS ALLOWED TO
// START ONCE THE Z JOB HAS BEEN SUBMITTED" (README of ESP-2.2.1), that is until it has started. All waiting jobs, and
// those that come later, are made to depend on its begin (--dependency=after). Slurm itself enforces that, under
// every policy and without a change of priorities, and drops the dependency when the Z job has begun.
//
// The auction's jobs are held, and Slurm may clear the dependency of a held job only when the Z job has ended. As the
// Z job has the whole machine, that makes no difference. The rule takes effect some tenths of a second after the
// submission, in which a job may still start.
type fullConfiguration struct {
	*run
	// ids are the full-configuration jobs so far that have not ended. One that has
	// begun makes no job wait; one that has ended or was forgotten may be unknown to Slurm.
	ids []int
}

func (f *fullConfiguration) submission(job workloads.Job) sbatch.Request {
	f.ids = slices.DeleteFunc(f.ids, func(id int) bool { return f.jobs.hasEnded(id) || !f.jobs.owns(id) })
	request := submission(f.Request.Machine, job)
	if job.Class != f.Request.FullConfiguration {
		request.After = slices.Clone(f.ids)
	}
	return request
}

// submitted is called for each job that Slurm has taken.
func (f *fullConfiguration) submitted(ctx context.Context, job workloads.Job, id int) error {
	if f.Request.FullConfiguration == "" || job.Class != f.Request.FullConfiguration {
		return nil
	}
	f.ids = append(f.ids, id)
	others, err := f.others(ctx)
	if err != nil {
		return err
	}
	var refused error
	for _, command := range slurmctl.StartAfterCommands(others, f.ids) {
		if doErr := f.patiently(ctx, func() error { return f.Slurm.Do(ctx, command) }); doErr != nil {
			refused = doErr
		}
	}
	if refused == nil {
		return nil
	}
	// A job that started between the two commands cannot be changed. It is no
	// fault as long as no waiting job was left out.
	queue, err := f.queue(ctx)
	if err != nil {
		return err
	}
	for _, j := range queue {
		if slices.Contains(others, j.ID) && j.State == slurmctl.JobPending && !strings.Contains(j.Dependency, fmt.Sprintf("after:%d(", id)) {
			return refused
		}
	}
	return nil
}

// others are the run's waiting jobs that take less than the machine.
func (f *fullConfiguration) others(ctx context.Context) ([]int, error) {
	queue, err := f.queue(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, j := range queue {
		if j.State == slurmctl.JobPending && !slices.Contains(f.ids, j.ID) {
			ids = append(ids, j.ID)
		}
	}
	return ids, nil
}
