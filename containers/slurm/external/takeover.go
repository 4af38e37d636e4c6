package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
)

// takeOver makes the jobs that run by Slurm jobs of the runner, each with the start that Slurm has for it.
func (r *Runner) takeOver(ctx context.Context) error {
	running, err := r.Slurm.Running(ctx)
	if errors.Is(err, ErrUnanswered) {
		r.askAgain(err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask for running jobs: %w", err)
	}
	r.doubt = time.Time{}
	before := r.due
	r.due = nil
	for _, job := range running {
		if r.live[job.ID] == nil {
			err = r.add(ctx, job)
		} else {
			// It may have been suspended or resumed.
			err = r.follow(ctx, job.ID)
		}
		if err != nil {
			return err
		}
	}
	for _, e := range before {
		if r.plans(e.id) {
			continue
		}
		// The job waits again, and needs its script. One that has ended already is not
		// run again, but is the job's end when that starts.
		if life, _, err := r.Processes.Find(e.id); err != nil || life != scripts.Absent {
			continue
		}
		if err := r.unmark(e.id); err != nil {
			return err
		}
	}
	if r.swept {
		return nil
	}
	return r.sweep()
}

// askAgain asks later which jobs run.
func (r *Runner) askAgain(err error) {
	r.Log.Error("asking again which jobs run", "after", retry, "error", err)
	r.doubt = r.Clock.Now().Add(retry)
}

// sweep ends scripts whose jobs have ended while there was no runner.
func (r *Runner) sweep() error {
	r.swept = true
	ids, err := jobs.Spool(r.Spool).Running()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if r.live[id] != nil || r.plans(id) {
			continue
		}
		life, _, err := r.Processes.Find(id)
		if err != nil {
			return err
		}
		if life != scripts.Alive {
			if err := r.unmark(id); err != nil {
				return err
			}
			continue
		}
		s := &script{id: id}
		r.live[id] = s
		if err := r.stop(s); err != nil {
			return err
		}
	}
	return nil
}

// healWait is the virtual time from a message to a node to the healing of the nodes;
// there may be several.
const healWait = 2 * time.Second

// heal makes nodes take jobs again that slurmctld counts as not responding, because it
// looked for their slurmd: to suspend a job, or to deliver a signal of scancel. Nothing
// but a restart or a reconfiguration does (node_did_resp in src/slurmctld/node_mgr.c has
// no caller for external nodes).
func (r *Runner) heal(ctx context.Context) {
	r.healAt = time.Time{}
	if err := r.Slurm.Reconfigure(ctx); err != nil {
		r.Log.Error("nodes cannot be made to respond, trying again", "after", healWait, "error", err)
		r.healAt = r.Clock.Now().Add(healWait)
	}
}
