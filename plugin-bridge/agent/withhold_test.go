package agent_test

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Slurm lays a job out on what is free when it starts (machine.Place). One of class R
// whose nodes get other free cores before that is held again; one that has started is not.
func TestWithhold(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ended        int
		starts, held bool
	}{
		{name: "a job ends on its nodes", ended: 1, held: true},
		{name: "a job ends elsewhere", ended: 2},
		{name: "a job ends of which nobody knows where it ran", ended: 99, held: true},
		{name: "it has started before", ended: 1, starts: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newOdd(2, 8, 0, job(1, 4), job(2, 8), job(3, 4))
			cycle := 0
			a := agent.New(c, nil, agent.Settings{Window: 3, Patience: 2, Decider: decider{decide: func(auction.Snapshot, int) (auction.Result, error) {
				cycle++
				switch cycle {
				case 1:
					return auction.Result{Ordered: []bidding.Bid{
						{Job: 0, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{4}}},
						{Job: 1, Allocation: machine.Allocation{Nodes: []int{1}, Cores: []int{8}}},
					}}, nil
				case 2:
					return auction.Result{Ordered: []bidding.Bid{
						{Job: 0, Class: bidding.ClassR, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{4}}},
					}}, nil
				}
				return auction.Result{}, nil
			}}})
			if _, err := a.Cycle(t.Context(), 0); err != nil || a.Fragile() {
				t.Fatalf("%v, fragile %v", err, a.Fragile())
			}
			c.stuck = true
			if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 || !a.Fragile() {
				t.Fatalf("%+v, %v, fragile %v: want job 3 released", record, err, a.Fragile())
			}
			if tt.starts {
				c.start(3)
			}
			if err := a.Withhold(t.Context(), tt.ended); err != nil {
				t.Fatal(err)
			}
			if held := slices.Equal(c.asked, []int{3}); held != tt.held || a.Fragile() == tt.held {
				t.Errorf("held %v, fragile %v: want held %v", c.asked, a.Fragile(), tt.held)
			}
			record, err := a.Cycle(t.Context(), 0)
			if err != nil || len(record.Deferred) == 1 != tt.held || len(record.Checked) == 1 != tt.starts {
				t.Errorf("%+v, %v", record, err)
			}
			if tt.held && (record.Deferred[0].Job != 3 || a.Settled()) {
				t.Errorf("%+v, settled %v: want job 3 deferred, and another cycle", record.Deferred, a.Settled())
			}
		})
	}
}

// Winners that an auction arranges (papers.Arrange) are fragile as class R; those of class R
// of our own auction lie where nothing runs, and are not.
func TestArrangedWinnersAreFragile(t *testing.T) {
	unsure := func(_ auction.Snapshot, winners []bidding.Bid) auction.Arrangement {
		for i := range winners {
			winners[i].Class = bidding.ClassR
		}
		return auction.Arrangement{Ordered: winners}
	}
	for name, arrange := range map[string]func(auction.Snapshot, []bidding.Bid) auction.Arrangement{"papers": unsure, "ours": nil} {
		c := newOdd(1, 8, 0, job(1, 4))
		c.stuck = true
		a := agent.New(c, auctiontest.Greedy{}, agent.Settings{Window: 1, Patience: 2, Auction: auction.Options{Arrange: arrange}})
		if record, err := a.Cycle(t.Context(), 0); err != nil || len(record.Released) != 1 || a.Fragile() != (arrange != nil) {
			t.Errorf("%s: %+v, %v, fragile %v", name, record, err, a.Fragile())
		}
	}
}
