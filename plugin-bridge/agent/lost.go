package agent

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/results/trace"
)

// losses are the jobs of the window that bid and won nothing, in the window's order, each with
// the winner that took most cores on the nodes that the job bid for.
func losses(result auction.Result, window []HeldJob) []trace.Loss {
	won := map[int]bool{}
	winners := append([]bidding.Bid(nil), result.Ordered...)
	for _, d := range result.Deferred {
		winners = append(winners, d.Bid)
	}
	for _, w := range winners {
		won[w.Job] = true
	}
	wanted := make([]map[int]bool, len(window)) // nodes of the bids of each job that lost
	for _, b := range result.Bids {
		if won[b.Job] {
			continue
		}
		if wanted[b.Job] == nil {
			wanted[b.Job] = map[int]bool{}
		}
		for _, n := range b.Nodes {
			wanted[b.Job][n] = true
		}
	}
	var lost []trace.Loss
	for i, nodes := range wanted {
		if nodes == nil {
			continue
		}
		loss, most := trace.Loss{Job: window[i].Job}, 0
		for _, w := range winners {
			taken := 0
			for at, n := range w.Nodes {
				if nodes[n] {
					taken += w.Cores[at]
				}
			}
			if taken > most {
				loss.To, most = window[w.Job].Job, taken
			}
		}
		lost = append(lost, loss)
	}
	return lost
}
