package bidding_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestOneSwitchBeatsMany: of the bids for one request, one below a single leaf
// switch is preferred to every one that is below several. IPSCHED's future work:
// "formulations that can take into consideration the topology of the network
// switches".
func TestOneSwitchBeatsMany(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 4)
		if len(s.Nodes[0].Switches) == 0 {
			auctiontest.Connect(s.Nodes, 4, 2)
		}
		for i := range s.Nodes {
			s.Nodes[i].Weight = 0
		}
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 200})).Bids()
		for _, one := range bids {
			for _, many := range bids {
				same := one.Job == many.Job && one.Alternative == many.Alternative && one.GPUs == many.GPUs
				if !same || auctiontest.Spanned(s, one, 0) != 1 || auctiontest.Spanned(s, many, 0) == 1 || len(one.Nodes) != len(many.Nodes) {
					continue
				}
				compared++
				if one.Preference <= many.Preference {
					t.Fatalf("%v, below one switch, is not preferred to %v", one, many)
				}
			}
		}
	})
	if compared == 0 {
		t.Error("no two bids were compared")
	}
}

// TestRoomBelowOneSwitchIsOffered: where a switch has room for a job of type 3,
// the job bids for nodes below it, however few bids it may make.
func TestRoomBelowOneSwitchIsOffered(t *testing.T) {
	offered := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 0)
		s.Jobs = []bidding.Job{{ID: 1, Nodes: auctiontest.Between(1, 4).Draw(t, "nodes"), CoresPerNode: 2}}
		for i := range s.Nodes {
			s.Nodes[i].Switches, s.Nodes[i].Weight = nil, 0
		}
		auctiontest.Connect(s.Nodes, 4, 2)
		room := map[int]int{}
		for _, n := range s.Nodes {
			if n.FreeCores >= 2 {
				room[n.Switches[0]]++
			}
		}
		fits := false
		for _, free := range room {
			fits = fits || free >= s.Jobs[0].Nodes
		}
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 1})).Bids()
		if !fits {
			return
		}
		offered++
		if len(bids) != 1 || auctiontest.Spanned(s, bids[0], 0) != 1 {
			t.Fatalf("%v although a switch has room: %v", bids, room)
		}
	})
	if offered == 0 {
		t.Error("no switch ever had room")
	}
}

// TestNeedBelowSwitches: a need tells how many of the nodes that would do are below
// as many leaf switches as the job allows, found here by looking at every set of
// nodes.
func TestNeedBelowSwitches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 0)
		s.Nodes = s.Nodes[:min(8, len(s.Nodes))]
		for i := range s.Nodes {
			s.Nodes[i].Switches = nil
		}
		auctiontest.Connect(s.Nodes, auctiontest.Between(1, 3).Draw(t, "leaf"), 2)
		allowed, block := auctiontest.Between(1, 3).Draw(t, "switches"), rapid.Bool().Draw(t, "contiguous")
		s.Jobs = []bidding.Job{{
			ID: 1, Nodes: 2, CoresPerNode: 2, Contiguous: block, Options: bidding.JobOptions{Switches: allowed},
		}}
		for _, n := range bidding.Needs(s.Nodes, s.Jobs[0], bidding.BidOptions{}) {
			want := 0
			for set := range 1 << len(s.Nodes) {
				var nodes []int
				for i, node := range s.Nodes {
					if set>>i&1 == 1 && node.FreeCores >= n.Cores {
						nodes = append(nodes, i)
					}
				}
				if len(nodes) == 0 || block && nodes[len(nodes)-1]-nodes[0] != len(nodes)-1 {
					continue
				}
				if auctiontest.Spanned(s, bidding.Bid{Allocation: machine.Allocation{Nodes: nodes}}, 0) <= allowed {
					want = max(want, len(nodes))
				}
			}
			if n.Switches != allowed || n.Below != want {
				t.Fatalf("%d nodes below %d switches, want %d below %d", n.Below, n.Switches, want, allowed)
			}
		}
	})
}
