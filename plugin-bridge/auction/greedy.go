package auction

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Greedy takes bids in the order of their objective as long as they fit. It is
// the simplest solver and that of tests; package packing searches.
type Greedy struct{}

// Solve returns a feasible assignment with the bound that no job can win more
// than its best bid.
func (Greedy) Solve(ctx context.Context, p Problem) (Assignment, error) {
	if err := ctx.Err(); err != nil {
		return Assignment{}, fmt.Errorf("solve greedily: %w", err)
	}
	order := make([]int, len(p.Objective))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Objective[b], p.Objective[a]) })
	k := newPacking(p)
	for _, i := range order {
		if k.fits(i) {
			k.add(i)
		}
	}
	a := Assignment{Selected: k.columns(), Status: StatusGreedy}
	a.Objective = p.Value(a.Selected)
	a.Bound = math.Max(a.Objective, trivialBound(p))
	return a, nil
}
