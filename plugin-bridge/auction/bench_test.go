package auction_test

import (
	"context"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

func BenchmarkFormulate(b *testing.B) {
	s := auctiontest.Big()
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	for b.Loop() {
		auction.Formulate(s, bids, auction.ObjectivePriority)
	}
	b.ReportMetric(float64(len(p.Objective)), "columns")
	b.ReportMetric(float64(len(p.Rows)), "rows")
	b.ReportMetric(float64(p.NonZeros()), "nonzeros")
}

func BenchmarkGreedy(b *testing.B) {
	s := auctiontest.Big()
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	for b.Loop() {
		a, err := auctiontest.Greedy{}.Solve(context.Background(), p)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(a.Objective, "objective")
		b.ReportMetric(a.Bound, "bound")
	}
}
