package auctiontest

import (
	"math"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// trivialBound is the value of the best column of each group, summed: what a selection
// would be worth if each job could have its best bid.
func trivialBound(p auction.Problem) float64 {
	bound := 0.0
	for _, g := range p.Groups() {
		best := 0.0
		for _, i := range g {
			best = math.Max(best, p.Objective[i])
		}
		bound += best
	}
	return bound
}

// feasible is a feasible selection that grows and shrinks.
type feasible struct {
	problem  auction.Problem
	selected []bool
	value    float64
	slack    []int
	// rows and amounts are the problem by columns.
	rows, amounts [][]int
}

func newFeasible(p auction.Problem) *feasible {
	k := &feasible{
		problem: p, selected: make([]bool, len(p.Objective)), slack: make([]int, len(p.Rows)),
		rows: make([][]int, len(p.Objective)), amounts: make([][]int, len(p.Objective)),
	}
	for r, row := range p.Rows {
		k.slack[r] = row.Bound
		for t, i := range row.Columns {
			k.rows[i] = append(k.rows[i], r)
			k.amounts[i] = append(k.amounts[i], row.Coefficients[t])
		}
	}
	return k
}

// fits reports whether a column that is not selected can be added.
func (k *feasible) fits(i int) bool {
	for t, r := range k.rows[i] {
		if k.slack[r] < k.amounts[i][t] {
			return false
		}
	}
	return true
}

func (k *feasible) add(i int) {
	k.selected[i] = true
	k.value += k.problem.Objective[i]
	for t, r := range k.rows[i] {
		k.slack[r] -= k.amounts[i][t]
	}
}

func (k *feasible) remove(i int) {
	k.selected[i] = false
	k.value -= k.problem.Objective[i]
	for t, r := range k.rows[i] {
		k.slack[r] += k.amounts[i][t]
	}
}

// columns returns the selection, ascending.
func (k *feasible) columns() []int {
	selected := []int{}
	for i, s := range k.selected {
		if s {
			selected = append(selected, i)
		}
	}
	return selected
}
