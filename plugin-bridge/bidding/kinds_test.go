package bidding_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// TestKindsOfBids: without SLURM bids all bids are ones that there are with them (AUCSCHED Table 8, "excluding SLURM
// bids"). Only blocks are of type A or B (AUCSCHED section 6.2, contigonly). An auction without remainders has no bid
// of class R.
func TestKindsOfBids(t *testing.T) {
	fewer, blocks := 0, 0
	property := func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 6)
		all, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 10000, MaxBids: 100000})).Bids()
		known := map[string]bool{}
		for _, b := range all {
			known[key(b)] = true
		}
		own, _ := s.Generator(bidding.BidOptions{MaxBidsPerJob: 10000, MaxBids: 100000, Remainders: true}).Bids()
		for _, b := range own {
			if !known[key(b)] {
				t.Fatalf("%v is there only without SLURM bids", b)
			}
		}
		if len(own) < len(all) {
			fewer++
		}
		r, err := auction.Auction(t.Context(), s, auction.Options{Bids: bidding.BidOptions{OnlyBlocks: true, SlurmBids: true}}, auctiontest.Greedy{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.Bids {
			blocks++
			if b.Nodes[len(b.Nodes)-1]-b.Nodes[0] != len(b.Nodes)-1 || b.Class != bidding.ClassA && b.Class != bidding.ClassB {
				t.Fatalf("%v, want blocks of class A or B", b)
			}
		}
		if r.Size.Bids != len(r.Bids) || r.Size.Columns != len(r.Problem.Objective) || r.Size.NonZeros != r.Problem.NonZeros() {
			t.Fatalf("size %+v", r.Size)
		}
	}
	// One time in three hundred, a hundred draws have no window with SLURM bids of its own.
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			property(t)
		}
	})
	if fewer == 0 || blocks == 0 {
		t.Errorf("%d snapshots with SLURM bids of their own, %d blocks: too few", fewer, blocks)
	}
}
