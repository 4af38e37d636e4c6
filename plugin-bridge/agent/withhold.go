package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Fragile reports whether a job was released, and has not been seen started, whose cores
// are the planned ones only as long as no running job ends on its nodes.
func (a *Agent) Fragile() bool {
	for _, f := range a.flights {
		if f.fragile {
			return true
		}
	}
	return false
}

// Withhold handles the end of a job, by Slurm's id. Slurm may take seconds to start a released job, and lays it out
// on what is free then. So if the end makes cores free on the nodes of a fragile job in flight, that one is held
// again, and with it the other fragile ones, which take what is left over. The next cycle's record has them as
// deferred. A job that has started meanwhile stays in flight, and is compared with its plan.
func (a *Agent) Withhold(ctx context.Context, ended int) error {
	if !a.disturbed(ended) {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		f := a.flights[id]
		if !f.fragile {
			continue
		}
		var refused *slurmctl.RefusedError
		if err := a.cluster.Hold(ctx, id); errors.As(err, &refused) {
			continue
		} else if err != nil {
			return fmt.Errorf("hold job %d: %w", id, err)
		}
		delete(a.flights, id)
		a.withheld = append(a.withheld, trace.Refusal{Job: f.Job, Reason: "a job ended on its nodes, or on those of one before it, before it started"})
	}
	return a.remember()
}

// disturbed reports whether a job that has ended frees cores on the nodes of a fragile one,
// or it is not known where it ran.
func (a *Agent) disturbed(ended int) bool {
	was, known := a.running[ended]
	if f, flying := a.flights[ended]; flying {
		was, known = f.Holding, true
	}
	for _, f := range a.flights {
		if f.fragile && (!known || meet(f.Holding, was)) {
			return true
		}
	}
	return false
}

// meet reports whether two holdings have a node in common.
func meet(a, b machine.Holding) bool {
	return slices.ContainsFunc(a.Nodes, func(n int) bool { return slices.Contains(b.Nodes, n) })
}
