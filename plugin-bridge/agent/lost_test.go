package agent

import (
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
)

// A job that bid and won nothing lost to the winner that has most of what the job bid for, released or deferred. A
// job whose nodes nobody won lost to nobody, and one without a bid is not listed.
func TestLosses(t *testing.T) {
	bid := func(job int, nodes, cores []int) bidding.Bid {
		return bidding.Bid{Job: job, Allocation: machine.Allocation{Nodes: nodes, Cores: cores}}
	}
	small, large := bid(0, []int{0}, []int{2}), bid(1, []int{1, 2}, []int{8, 8})
	result := auction.Result{
		Ordered: []bidding.Bid{small}, Deferred: []auction.Deferral{{Bid: large}},
		Bids: []bidding.Bid{
			small, bid(0, []int{3}, []int{2}), large,
			bid(2, []int{0}, []int{8}), bid(2, []int{1}, []int{8}),
			bid(3, []int{0}, []int{8}),
			bid(5, []int{3}, []int{8}),
		},
	}
	var window []HeldJob
	for number := range 6 {
		window = append(window, HeldJob{Job: 10 * (number + 1)})
	}
	want := []trace.Loss{{Job: 30, To: 20}, {Job: 40, To: 10}, {Job: 60}}
	if got := losses(result, window); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
