package main

import (
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// BenchmarkPaperBids compares AUCSCHED2's program with our auction's bids and with the bids of AUCSCHED's text. The
// latter are 5 bids per job and SLURM bids as in Tables 5 to 7, or blocks alone and no SLURM bids as in the rows
// "contigonlybids" of Table 8.
func BenchmarkPaperBids(b *testing.B) {
	for _, workload := range []string{"I.1", "II.1", "IV.1", "V.1", "V.2"} {
		for _, kind := range []struct {
			name           string
			papers, blocks bool
		}{{"ours", false, false}, {"papers", true, false}, {"ours-blocks", false, true}, {"papers-blocks", true, true}} {
			b.Run(workload+"/"+kind.name, func(b *testing.B) {
				var sum numbers
				var deferred, rearranged, unsure float64
				policy := &Auction{Guard: auction.NewGuard(0), Window: 100, Solver: packing.QuickSolver{}, Options: auction.Options{
					Bids:      bidding.BidOptions{Papers: kind.papers, MaxBidsPerJob: 5, MaxBids: 500, SlurmBids: !kind.blocks, OnlyBlocks: kind.blocks},
					Objective: auction.ObjectivePriority,
				}}
				policy.Options.Arrange = func(s auction.Snapshot, winners []bidding.Bid) auction.Arrangement {
					a := papers.Arrange(s, winners)
					deferred += float64(len(a.Deferred))
					rearranged += float64(a.Rearranged)
					for _, bid := range a.Ordered {
						if bid.Class == bidding.ClassR {
							unsure++
						}
					}
					return a
				}
				for seed := range b.N {
					n := playSeed(b, workload, uint64(seed)+1, policy)
					sum.utilisation += n.utilisation
					sum.waiting += n.waiting
					sum.slowdown += n.slowdown
					sum.fragmentation += n.fragmentation
					sum.spread += n.spread
				}
				for unit, v := range map[string]float64{
					"utilisation": sum.utilisation, "waiting_s": sum.waiting, "slowdown": sum.slowdown, "fragmentation": sum.fragmentation,
					"spread": sum.spread, "deferred": deferred, "rearranged": rearranged, "classR": unsure,
				} {
					b.ReportMetric(v/float64(b.N), unit)
				}
			})
		}
	}
}
