package plugin

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// inOrder starts the first jobs of the queue that fit, up to the first one that does not,
// where Slurm itself would start them.
func inOrder(s auction.Snapshot) []bidding.Bid {
	j := newJudge(s)
	var bids []bidding.Bid
	for _, job := range s.Jobs {
		alloc, fits := backfill.Place(slices.Clone(j.starts.Left()), job)
		if !fits {
			return bids
		}
		bid, fault := j.start(Start{Job: job.ID, Nodes: machine.Names(s.Nodes, alloc.Nodes)})
		if fault != nil {
			// Slurm's choice does not look at switches.
			continue
		}
		bids = append(bids, bid)
	}
	return bids
}
