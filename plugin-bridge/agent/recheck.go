package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/trace"
)

// recheck reads the cluster again if there are winners of class R, and defers
// from the first one of them on whose nodes the free cores are not those of the
// snapshot any more: a job has ended during the solution, which may take seconds,
// and the rule would give other cores than planned.
func (a *Agent) recheck(ctx context.Context, winners []auction.Bid, window []HeldJob, before State, record *trace.Cycle) ([]auction.Bid, error) {
	if !a.options.Recheck || !slices.ContainsFunc(winners, func(b auction.Bid) bool { return b.Class == auction.ClassR }) {
		return winners, nil
	}
	now, err := a.cluster.State(ctx)
	if err != nil {
		return nil, fmt.Errorf("read state again: %w", err)
	}
	var kept []auction.Bid
	changed := false
	for _, b := range winners {
		if b.Class == auction.ClassR {
			changed = changed || slices.ContainsFunc(b.Nodes, func(n int) bool {
				return now.Nodes[n].FreeCores != before.Nodes[n].FreeCores
			})
			if changed {
				record.Deferred = append(record.Deferred, trace.Refusal{
					Job: window[b.Job].Name, Reason: "a job ended on its nodes, or on those of one before it, since the snapshot",
				})
				continue
			}
		}
		kept = append(kept, b)
	}
	return kept, nil
}
