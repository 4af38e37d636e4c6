package metric

import (
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

const (
	// patternRounds bounds the number of linear programs. Stopping early gives
	// a weaker bound, never a wrong one.
	patternRounds = 60
	// patternTolerance is the relative excess of a pattern's value over 1 below
	// which the prices count as optimal.
	patternTolerance = 1e-9
	// simplexTolerance is the reduced cost below which lp.Simplex stops. Demand
	// is scaled to at most 1 and patterns hold small whole numbers.
	simplexTolerance = 1e-12
)

// patternBound returns a lower bound on the node-seconds that the kinds need on nodes of the given size, and the
// prices that give it. The bound is the optimum of the linear program in LowerBound unless patternRounds stops it
// first.
//
// It solves the dual: prices u_t >= 0 per request such that no pattern is worth more than 1, maximising sum(D_t u_t).
// There are too many patterns to list. So a dynamic program over the cores and GPUs of a node adds them as it finds
// them to be worth more than 1 (Gilmore and Gomory). That program also makes every round safe. If the best of all
// patterns is worth v, the prices u/v satisfy every constraint. Then sum(D_t u_t)/v is a lower bound by weak duality
// (Farley) whatever the simplex did to find u.
func patternBound(node request, kinds []kind) (bound float64, prices []float64) {
	if len(kinds) == 0 {
		return 0, nil
	}
	patterns := uniformPatterns(node, kinds)
	for range patternRounds {
		tried := solvePrices(kinds, patterns)
		if tried == nil {
			break
		}
		worth, found := price(node, kinds, tried)
		total := 0.0
		for t, k := range kinds {
			total += k.demand * tried[t]
		}
		if safe := total / max(worth, 1); safe > bound {
			bound, prices = safe, tried
		}
		if worth <= 1+patternTolerance {
			break
		}
		before := len(patterns)
		for _, p := range found {
			if !slices.ContainsFunc(patterns, func(q []int) bool { return slices.Equal(p, q) }) {
				patterns = append(patterns, p)
			}
		}
		if len(patterns) == before {
			break
		}
	}
	return bound, prices
}

// fits says how often r fits into the space.
func (space request) fits(r request) int {
	n := space.cores / r.cores
	if r.gpus > 0 {
		n = min(n, space.gpus/r.gpus)
	}
	return n
}

// fill adds to pattern as many further requests as fit, kind after kind.
func fill(node request, kinds []kind, pattern []int) []int {
	left := node
	for t, n := range pattern {
		left.cores -= n * kinds[t].cores
		left.gpus -= n * kinds[t].gpus
	}
	for t := len(kinds) - 1; t >= 0; t-- {
		n := left.fits(kinds[t].request)
		pattern[t] += n
		left.cores -= n * kinds[t].cores
		left.gpus -= n * kinds[t].gpus
	}
	return pattern
}

// uniformPatterns gives one pattern per kind, full of it. With them every price
// is bounded and no column of the linear program is zero.
func uniformPatterns(node request, kinds []kind) [][]int {
	var patterns [][]int
	for t, k := range kinds {
		pattern := make([]int, len(kinds))
		pattern[t] = node.fits(k.request)
		patterns = append(patterns, fill(node, kinds, pattern))
	}
	slices.SortFunc(patterns, slices.Compare)
	return slices.CompactFunc(patterns, slices.Equal)
}

// solvePrices maximises sum(D_t u_t) subject to sum_t a_pt u_t <= 1 for the
// given patterns. It returns nil when the simplex finds nothing; prices it
// returns are not negative but need not be optimal.
func solvePrices(kinds []kind, patterns [][]int) []float64 {
	rows, columns := len(patterns), len(kinds)+len(patterns)
	largest := 0.0
	for _, k := range kinds {
		largest = max(largest, k.demand)
	}
	cost := make([]float64, columns)
	for t, k := range kinds {
		cost[t] = -k.demand / largest
	}
	a := mat.NewDense(rows, columns, nil)
	b := make([]float64, rows)
	// Prices of zero, with only slack in the basis, are feasible.
	basis := make([]int, rows)
	for i, pattern := range patterns {
		for t, n := range pattern {
			a.Set(i, t, float64(n))
		}
		a.Set(i, len(kinds)+i, 1)
		b[i] = 1
		basis[i] = len(kinds) + i
	}
	// The error is of no interest: on numerical trouble Simplex also returns its
	// last feasible point, which patternBound makes safe.
	_, x, _ := lp.Simplex(cost, a, b, simplexTolerance, basis)
	if x == nil {
		return nil
	}
	prices := x[:len(kinds)]
	for t, u := range prices {
		// Also catches NaN.
		if !(u > 0) {
			prices[t] = 0
		}
	}
	return prices
}

// table has the best patterns of all sizes of a node: worth[c][g] is the largest worth on c
// cores and g GPUs, choice the kind taken first, or -1.
type table struct {
	worth  [][]float64
	choice [][]int
}

func newTable(node request, kinds []kind, prices []float64) table {
	t := table{make([][]float64, node.cores+1), make([][]int, node.cores+1)}
	for c := range t.worth {
		t.worth[c] = make([]float64, node.gpus+1)
		t.choice[c] = make([]int, node.gpus+1)
		for g := range t.worth[c] {
			t.choice[c][g] = -1
			for i, k := range kinds {
				if k.cores > c || k.gpus > g {
					continue
				}
				if w := prices[i] + t.worth[c-k.cores][g-k.gpus]; w > t.worth[c][g] {
					t.worth[c][g], t.choice[c][g] = w, i
				}
			}
		}
	}
	return t
}

// bestWorth is the largest worth of any pattern under the prices.
func bestWorth(node request, kinds []kind, prices []float64) float64 {
	return newTable(node, kinds, prices).worth[node.cores][node.gpus]
}

// price returns the largest worth of any pattern under the prices, and patterns
// worth more than 1: for each kind the best one that holds it.
func price(node request, kinds []kind, prices []float64) (worth float64, patterns [][]int) {
	best := newTable(node, kinds, prices)
	for t, k := range kinds {
		c, g := node.cores-k.cores, node.gpus-k.gpus
		if prices[t]+best.worth[c][g] <= 1+patternTolerance {
			continue
		}
		pattern := make([]int, len(kinds))
		pattern[t] = 1
		for best.choice[c][g] >= 0 {
			next := best.choice[c][g]
			pattern[next]++
			c, g = c-kinds[next].cores, g-kinds[next].gpus
		}
		patterns = append(patterns, fill(node, kinds, pattern))
	}
	return best.worth[node.cores][node.gpus], patterns
}
