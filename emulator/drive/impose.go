package drive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// imposeAt is the second of a run at which the cluster gets its limits that began without them. By then the jobs that ran before
// have started, and the others arrive at workloads.HeadStart.
const imposeAt = workloads.HeadStart - 20

// Lenient says that the cluster begins without limits, so that the jobs start that ran before and that its limits forbid:
// Slurm does not evict a job when a limit is lowered. An agent knows the limits from the boot on, and keeps to them.
func (s Spec) Lenient() bool {
	return !s.Policy.HasAgent() && workloads.BeginsWithState(s.Jobs) && !s.Machine.Layout.Impose().IsZero()
}

// imposed is what is left to do to a cluster that began without limits.
func (r *run) toImpose() layout.Imposed {
	if r.Request.From != nil || !r.Request.Lenient() {
		return layout.Imposed{}
	}
	return r.Request.Machine.Layout.Impose()
}

// imposition is the instant at which the cluster gets its limits, if it has not got them yet.
func (r *run) imposition() (at time.Time, some bool) {
	return r.began.Add(imposeAt * time.Second), !r.impose.IsZero()
}

// imposeLimits makes the cluster the one that was asked for. sacctmgr is a program, so the clock is held.
func (r *run) imposeLimits(ctx context.Context) error {
	for _, words := range r.impose.Updates {
		if err := r.patiently(ctx, func() error { return r.Slurm.Update(ctx, words...) }); err != nil {
			return fmt.Errorf("limits after the start of the jobs that ran before: %s: %w", strings.Join(words, " "), err)
		}
	}
	if err := r.commandHeld(ctx, r.impose.Commands); err != nil {
		return fmt.Errorf("limits after the start of the jobs that ran before: %w", err)
	}
	r.Log.Info("limits of the machine are in force", "updates", len(r.impose.Updates), "commands", len(r.impose.Commands))
	r.impose = layout.Imposed{}
	r.news.tell(r.Clock.Now())
	return nil
}

// commandHeld runs programs while the clock is held. Otherwise it would take the cluster for idle while one is read from a disk.
func (r *run) commandHeld(ctx context.Context, commands [][]string) error {
	if len(commands) == 0 {
		return nil
	}
	r.Clock.Hold()
	defer r.Clock.Go()
	for _, argv := range commands {
		if err := r.patiently(ctx, func() error {
			_, err := r.Client.Run(ctx, nil, argv...)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}
