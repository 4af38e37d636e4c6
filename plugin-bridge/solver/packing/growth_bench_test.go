package packing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// BenchmarkGrowth reports the processor time of a cycle's auction without HiGHS,
// in milliseconds: bids, both programs with their solutions, and order.
func BenchmarkGrowth(b *testing.B) {
	clock := func() time.Duration {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
			b.Fatal(err)
		}
		return time.Duration(t.Nano())
	}
	for _, nodes := range []int{1408, 3000, 10_000} {
		for _, jobs := range []int{200, 500, 1000} {
			for _, utilisation := range []float64{0.9, 0.5} {
				b.Run(fmt.Sprintf("nodes=%d/jobs=%d/busy=%g", nodes, jobs, utilisation), func(b *testing.B) {
					w := auctiontest.Window{Nodes: nodes, Cores: 12, GPUs: 3, Jobs: jobs, Sizes: auctiontest.Medium, Utilisation: utilisation, Seed: 2}
					s := w.Snapshot()
					var r auction.Result
					for b.Loop() {
						var err error
						r, err = auction.Auction(context.Background(), s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 15, MaxBids: 5000}), Clock: clock}, packing.QuickSolver{})
						if err != nil {
							b.Fatal(err)
						}
					}
					ms := func(d time.Duration) float64 { return 1000 * d.Seconds() }
					b.ReportMetric(float64(len(r.Bids)), "bids")
					b.ReportMetric(float64(r.Problem.NonZeros()), "terms")
					b.ReportMetric(ms(r.Phases.Bids), "ms-bids")
					b.ReportMetric(ms(r.Phases.Solve), "ms-solve")
					b.ReportMetric(ms(r.Phases.Order), "ms-order")
					b.ReportMetric(100*r.Assignment.Gap(), "%gap")
				})
			}
		}
	}
}
