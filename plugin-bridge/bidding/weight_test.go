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

// "All things being equal, jobs will be allocated the nodes with the lowest weight which satisfies their
// requirements" (slurm.conf(5), Weight). Of the bids for one request, the one whose heaviest node is lighter is
// preferred.
func TestLightNodesArePreferred(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 4)
		for i := range s.Nodes {
			s.Nodes[i].Weight = rapid.SampledFrom([]int{5, 10, 90}).Draw(t, "weight")
		}
		heaviest := func(b bidding.Bid) int {
			most := 0
			for _, n := range b.Nodes {
				most = max(most, s.Nodes[n].Weight)
			}
			return most
		}
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 200})).Bids()
		for _, light := range bids {
			auctiontest.CheckBid(t, s, light)
			for _, heavy := range bids {
				same := light.Job == heavy.Job && light.Alternative == heavy.Alternative && light.GPUs == heavy.GPUs
				if !same || heaviest(light) >= heaviest(heavy) {
					continue
				}
				compared++
				if light.Preference <= heavy.Preference {
					t.Fatalf("%v on nodes of weight %d is not preferred to %v of %d", light, heaviest(light), heavy, heaviest(heavy))
				}
			}
		}
	})
	if compared == 0 {
		t.Error("no two bids were compared")
	}
}

// A job with only one bid bids for light nodes if they have room for it, and for heavy ones otherwise. n1 and n2 have
// weight 20 and GPUs, n3 and n4 have weight 10.
func TestFirstBidIsForLightNodes(t *testing.T) {
	nodes := machine.IdleNodes(4, 8, 0)
	for i := range nodes {
		nodes[i].Weight = 10
	}
	for i := range 2 {
		nodes[i].Weight, nodes[i].GPUs, nodes[i].FreeGPUs, nodes[i].GPUType = 20, 4, 4, "a100"
	}
	for _, c := range []struct {
		job  bidding.Job
		want string
	}{
		{bidding.Job{Cores: 4}, "[2]"},
		{bidding.Job{Nodes: 2, CoresPerNode: 8}, "[2 3]"},
		{bidding.Job{Nodes: 3, CoresPerNode: 1}, "[0 1 2]"},
		{bidding.Job{Nodes: 1, CoresPerNode: 1, GPUs: 1}, "[0]"},
		{bidding.Job{Nodes: 1, CoresPerNode: 1, GPUs: 1, Options: bidding.JobOptions{GPUType: "v100"}}, "none"},
		{bidding.Job{Cores: 24, Options: bidding.JobOptions{MostNodes: 2}}, "none"},
		{bidding.Job{Cores: 16, Options: bidding.JobOptions{MostNodes: 2}}, "[2 3]"},
	} {
		got := "none"
		if b, ok := bidding.Alone(nodes, c.job); ok {
			got = fmt.Sprint(b.Nodes)
		}
		if got != c.want {
			t.Errorf("%+v starts on nodes %s, want %s", c.job, got, c.want)
		}
		bids, _ := bidding.NewGenerator(nodes, []bidding.Job{c.job}, nil, bidding.BidOptions{MaxBidsPerJob: 1}).Bids()
		if got == "none" && len(bids) > 0 || got != "none" && !slices.ContainsFunc(bids, func(b bidding.Bid) bool { return len(b.Nodes) > 0 }) {
			t.Errorf("%+v bids %v", c.job, bids)
		}
	}
}
