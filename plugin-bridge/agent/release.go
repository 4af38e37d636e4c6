package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// recheck reads the cluster again if a papers' policy chose bids of class R, whose cores are right only as long as no
// running job ends. The solution may have taken seconds. The nodes of such a bid may now have other free cores than
// in the snapshot, and Slurm would give the job other cores than planned. Then that bid is deferred, and with it all
// later ones of class R.
func (a *Agent) recheck(ctx context.Context, winners []bidding.Bid, window []HeldJob, before State, record *trace.Cycle) ([]bidding.Bid, error) {
	if !slices.ContainsFunc(winners, a.fragile) {
		return winners, nil
	}
	now, err := a.cluster.State(ctx)
	if err != nil {
		return nil, fmt.Errorf("read state again: %w", err)
	}
	var kept []bidding.Bid
	changed := false
	for _, b := range winners {
		if a.fragile(b) {
			changed = changed || slices.ContainsFunc(b.Nodes, func(n int) bool {
				return now.Nodes[n].FreeCores != before.Nodes[n].FreeCores
			})
			if changed {
				record.Deferred = append(record.Deferred, trace.Refusal{
					Job: window[b.Job].Job, Reason: "a job ended on its nodes, or on those of one before it, since the snapshot",
				})
				continue
			}
		}
		kept = append(kept, b)
	}
	return kept, nil
}

// fragile reports whether Slurm gives a bid its cores only if no running job ends on its
// nodes before it starts: those of class R that a papers' policy releases. Our own auction
// makes bids of class R for nodes on which nothing runs.
func (a *Agent) fragile(b bidding.Bid) bool {
	return b.Class == bidding.ClassR && (a.options.Decider != nil || a.options.Auction.Arrange != nil)
}

// release hands the winners to Slurm, in order. After a refusal the remaining
// winners are still released, since each was planned on resources of its own. Only
// bids of class R are not: their cores are what all winners before them leave free.
func (a *Agent) release(ctx context.Context, winners []bidding.Bid, window []HeldJob, nodes []machine.Node, record *trace.Cycle) error {
	for _, bid := range winners {
		h := window[bid.Job]
		if bid.Class == bidding.ClassR && len(record.Refused) > 0 {
			record.Deferred = append(record.Deferred, trace.Refusal{Job: h.Job, Reason: "a job released before it was refused"})
			continue
		}
		plan := Plan{Nodes: bid.Nodes, Request: bid.Request()}
		if h.Request.MaxGPUs > 0 || len(h.Request.Alternatives) > 0 {
			plan.GPUs = bid.GPUs
		}
		if len(h.Within) > 0 {
			plan.Partition = h.Request.Options.Partition
		}
		// The job is in flight from here on: after an error nobody knows whether Slurm
		// has released it, and its resources must not be given away twice.
		a.flights[h.ID] = releasedJob{
			Holding: machine.Holding{Job: h.Job, Allocation: bid.Allocation, Licences: slices.Concat(h.Request.Options.Licences, h.limits())},
			limit:   h.Request.TimeLimit, exclusive: bid.Exclusive, since: a.cycle,
			fragile:  a.fragile(bid),
			patience: a.patienceWith(h.ID),
		}
		if err := a.remember(); err != nil {
			delete(a.flights, h.ID)
			return err
		}
		err := a.cluster.Release(ctx, h.ID, plan)
		var refused *slurmctl.RefusedError
		switch {
		case errors.As(err, &refused):
			delete(a.flights, h.ID)
			record.Refused = append(record.Refused, trace.Refusal{Job: h.Job, Reason: refused.Message})
			continue
		case err != nil:
			return fmt.Errorf("release job %d: %w", h.Job, err)
		}
		record.Released = append(record.Released, trace.Release{
			Job: h.Job, Slurm: h.ID, Class: bid.Class.String(), Nodes: values.CompressHosts(machine.Names(nodes, bid.Nodes)),
			Cores: machine.RunLength(bid.Cores), GPUs: bid.GPUs,
		})
	}
	return nil
}
