package packing_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// Weak duality: prices are not negative, no column beats the best of its job, and
// prices and what the jobs keep add up to the bound, which no selection exceeds.
func TestPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := auctiontest.Window{
			Nodes: 24, Cores: 8, GPUs: 2, Jobs: rapid.IntRange(1, 8).Draw(t, "jobs"),
			Sizes: auctiontest.Small, Utilisation: 0.5, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		p := w.Problem(4)
		best := packing.Quick(p, packing.QuickLimits())
		prices := packing.NewPrices(p, best.Objective)
		if prices.Bound < best.Objective-1e-9 {
			t.Fatalf("bound %g below a selection of %g", prices.Bound, best.Objective)
		}
		cost := make([]float64, len(p.Objective))
		total := 0.0
		for r, row := range p.Rows {
			if prices.Rows[r] < 0 {
				t.Fatalf("row %s has price %g", row.Name(), prices.Rows[r])
			}
			total += prices.Rows[r] * float64(row.Bound)
			for k, i := range row.Columns {
				cost[i] += prices.Rows[r] * float64(row.Coefficients[k])
			}
		}
		for _, group := range p.Groups() {
			kept := 0.0
			for _, i := range group {
				kept = max(kept, p.Objective[i]-cost[i])
			}
			total += kept
			for _, i := range group {
				if want := p.Objective[i] - cost[i] - kept; math.Abs(prices.Reduced[i]-want) > 1e-6 || want > 1e-6 {
					t.Fatalf("column %d has reduced value %g, want %g, not above 0", i, prices.Reduced[i], want)
				}
			}
		}
		if math.Abs(total-prices.Bound) > 1e-6*math.Max(1, total) {
			t.Fatalf("prices add up to %g, the bound is %g", total, prices.Bound)
		}
	})
}

// Two jobs want all 8 cores of the only node, or its only GPU. What both want costs between 3 and 5, their values, so
// that one of them is willing to pay it and the other is not.
func TestPriceOfAScarceNode(t *testing.T) {
	for _, amount := range []int{8, 1} {
		p := auction.Problem{
			Objective: []float64{5, 3},
			Rows:      []auction.Constraint{{Kind: auction.GPUsRow, Of: "n1", Columns: []int{0, 1}, Coefficients: []int{amount, amount}, Bound: amount}},
		}
		prices := packing.NewPrices(p, 5)
		if paid := float64(amount) * prices.Rows[0]; paid < 3-0.01 || paid > 5+0.01 {
			t.Errorf("%d of %d cost %g, want 3 to 5", amount, amount, paid)
		}
		if math.Abs(prices.Bound-5) > 0.01 {
			t.Errorf("%d of %d: bound %g, want 5", amount, amount, prices.Bound)
		}
	}
}
