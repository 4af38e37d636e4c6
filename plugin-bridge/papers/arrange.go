package papers

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Arrange is auction.Options.Arrange for bids of auction.PaperBids. Their T_in may be right only while no running job
// ends, and the T_in of a SLURM bid only if the SLURM bids before it have won. Where auction.Order defers a winner,
// Arrange looks for other cores on the nodes of the bids, as for the programs of IPSCHED and AUCSCHED: the objective
// does not depend on T_in. Some winners' cores must not change, since they are whole nodes or go with memory. These
// winners keep them or are deferred.
func Arrange(s auction.Snapshot, winners []bidding.Bid) auction.Arrangement {
	ordered, deferred := auction.Order(s, winners)
	plain := auction.Arrangement{Ordered: ordered, Deferred: deferred}
	if len(deferred) == 0 {
		return plain
	}
	var fixed []bidding.Bid
	var all []chosenCores
	s.Jobs = slices.Clone(s.Jobs)
	p := s.Priorities()
	of := make(map[int]bidding.Bid, len(winners))
	for _, b := range winners {
		of[b.Job] = b
		if b.Exclusive || b.MemoryPerCore > 0 {
			fixed = append(fixed, b)
			continue
		}
		s.Jobs[b.Job] = s.Jobs[b.Job].With(b.Alternative)
		all = append(all, chosenCores{Job: b.Job, Allocation: b.Allocation, Class: b.Class, Value: p[b.Job]})
	}
	var a auction.Arrangement
	a.Ordered, a.Deferred = auction.Order(s, fixed)
	s.Nodes = slices.Clone(s.Nodes)
	for _, b := range a.Ordered {
		machine.Take(s.Nodes, b.Allocation)
		for i, n := range b.Nodes {
			// These cores cannot become free before the others start.
			s.Nodes[n].Cores -= b.Cores[i]
		}
	}
	r := realise(s, all)
	for _, b := range r.ordered {
		b.Alternative, b.Preference = of[b.Job].Alternative, of[b.Job].Preference
		a.Ordered = append(a.Ordered, b)
	}
	for _, d := range r.deferred {
		d.Bid = of[d.Bid.Job]
		a.Deferred = append(a.Deferred, d)
	}
	a.Rearranged = r.rearranged
	if value(p, plain.Ordered) > value(p, a.Ordered) {
		return plain
	}
	return a
}

// value is the sum of the priorities of the jobs that start.
func value(priorities []float64, ordered []bidding.Bid) float64 {
	sum := 0.0
	for _, b := range ordered {
		sum += priorities[b.Job]
	}
	return sum
}
