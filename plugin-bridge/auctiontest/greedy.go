package auctiontest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Greedy takes the bids in the order of their objective, each that still fits. It is the
// solver of tests that need some answer and no optimum.
type Greedy struct{}

// Solve returns a feasible assignment with the bound that no job can win more
// than its best bid.
func (Greedy) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return auction.Assignment{}, fmt.Errorf("solve greedily: %w", err)
	}
	order := make([]int, len(p.Objective))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Objective[b], p.Objective[a]) })
	k := newFeasible(p)
	for _, i := range order {
		if k.fits(i) {
			k.add(i)
		}
	}
	a := auction.Assignment{Selected: k.columns(), Status: program.StatusGreedy}
	a.Objective = p.Value(a.Selected)
	a.Bound = math.Max(a.Objective, trivialBound(p))
	return a, nil
}
