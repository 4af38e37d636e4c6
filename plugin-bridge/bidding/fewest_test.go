package bidding_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// A job of 16 cores needs 2 nodes of 8. It bids for 1, 1.34, 2, 4 and 16 times as many, as far as there are nodes and cores,
// and a bid on twice as many nodes is worth three quarters.
func TestFewestNodes(t *testing.T) {
	bids, _ := bidding.NewGenerator(machine.IdleNodes(16, 8, 0), []bidding.Job{{ID: 1, Cores: 16}}, nil, bidding.BidOptions{
		MaxBidsPerJob: 200, FewestNodes: true,
	}).Bids()
	worth := make(map[string]bool)
	for _, b := range bids {
		worth[fmt.Sprintf("%v on %d nodes: %.3f", b.Class, len(b.Nodes), b.Preference)] = true
	}
	want := []string{
		"A on 2 nodes: 1.000", "A on 3 nodes: 0.833", "A on 4 nodes: 0.750", "A on 8 nodes: 0.625",
		"B on 2 nodes: 0.750", "B on 3 nodes: 0.625", "B on 4 nodes: 0.562",
	}
	for _, w := range want {
		if !worth[w] {
			t.Errorf("no bid is %q, got %v", w, worth)
		}
	}
	for _, b := range bids {
		if !slices.Contains([]int{2, 3, 4, 8, 16}, len(b.Nodes)) {
			t.Errorf("%v: got %d nodes, want 2, 3, 4, 8 or 16", b, len(b.Nodes))
		}
	}
	// What explain says of a job without a bid is about the same ways.
	for _, n := range bidding.Needs(machine.IdleNodes(16, 8, 0), bidding.Job{ID: 1, Cores: 16}, bidding.BidOptions{FewestNodes: true}) {
		if !slices.Contains([]int{2, 3, 4, 8, 16}, n.Nodes) {
			t.Errorf("a need of %d nodes, want 2, 3, 4, 8 or 16", n.Nodes)
		}
	}
}

// Of two bids of a job that differ in their number of nodes alone, the one on fewer nodes is preferred, and all
// preferences lie in (0,1], as inequality (9) of AUCSCHED needs.
func TestFewNodesArePreferred(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 4)
		for i := range s.Nodes {
			s.Nodes[i].Weight, s.Nodes[i].Switches = 0, nil
		}
		for i := range s.Jobs {
			s.Jobs[i].Options.Switches = 0
		}
		o := auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 200})
		o.FewestNodes = true
		g := s.Generator(o)
		bids, _ := g.Bids()
		bids = append(bids, g.Remainders(bids, nil)...)
		for _, few := range bids {
			if few.Preference <= 0 || few.Preference > 1 {
				t.Fatalf("%v: got a preference of %g, want one above 0 up to 1", few, few.Preference)
			}
			for _, many := range bids {
				same := few.Job == many.Job && few.Class == many.Class && few.Alternative == many.Alternative && few.GPUs == many.GPUs
				if !same || len(few.Nodes) >= len(many.Nodes) || s.Jobs[few.Job].With(few.Alternative).Type() != bidding.Type1 {
					continue
				}
				compared++
				if few.Preference < many.Preference {
					t.Fatalf("%v is not preferred to %v", few, many)
				}
			}
		}
	})
	if compared == 0 {
		t.Error("no two bids were compared")
	}
}
