package auction_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// hasty takes the last column of each job that fits, as a solver does that has ended early.
type hasty struct{}

func (hasty) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	var selected []int
	for _, group := range p.Groups() {
		for _, i := range slices.Backward(group) {
			with := append(slices.Clone(selected), i)
			if slices.Sort(with); p.Check(with) == nil {
				selected = with
				break
			}
		}
	}
	return auction.Assignment{Selected: selected, Objective: p.Value(selected), Bound: p.Value(selected), Status: program.StatusGreedy}, nil
}

// With fewest_nodes no winner has a bid of its own on fewer nodes that is worth as much and for which there is room,
// whatever the solver has left. The same jobs win, and their bids are worth at least as much.
func TestWinnersHaveFewNodes(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 5)
		o := auctiontest.Options()
		o.Objective, o.Bids.FewestNodes = auction.ObjectiveAdaptive, true
		r, err := auction.Auction(context.Background(), s, o, hasty{})
		if err != nil {
			t.Fatal(err)
		}
		selected := r.Assignment.Selected
		before, err := hasty{}.Solve(context.Background(), r.Problem)
		if err != nil {
			t.Fatal(err)
		}
		if r.Assignment.Objective < before.Objective {
			t.Fatalf("the bids are worth %g, and %g before", r.Assignment.Objective, before.Objective)
		}
		if !slices.Equal(selected, before.Selected) {
			moved++
		}
		for at, i := range selected {
			for k, b := range r.Bids {
				if b.Job != r.Bids[i].Job || len(b.Nodes) >= len(r.Bids[i].Nodes) || r.Problem.Objective[k] < r.Problem.Objective[i] {
					continue
				}
				other := slices.Clone(selected)
				other[at] = k
				if slices.Sort(other); r.Problem.Check(other) == nil {
					t.Fatalf("%v has won, and there is room for %v", r.Bids[i], b)
				}
			}
		}
	})
	if moved == 0 {
		t.Error("no winner has moved")
	}
}
