package auction

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Solver solves problems. Implementations are [Greedy], [Exhaustive] and
// the one of package solver, with HiGHS in a process of its own.
type Solver interface {
	// Solve returns a feasible assignment. It fails when the context ends
	// first, or when the solver cannot take the problem at all; running out
	// of time is not a failure but a Status.
	Solve(ctx context.Context, p Problem) (Assignment, error)
}

// Status says how far a solver got.
type Status string

const (
	// StatusOptimal means that no selection has a higher objective.
	StatusOptimal Status = "optimal"
	// StatusTimeLimit means that the search ended at its time limit.
	StatusTimeLimit Status = "time_limit"
	// StatusWorkLimit means that the search ended after the amount of work
	// that it is allowed, so that it ends there on any machine.
	StatusWorkLimit Status = "work_limit"
	// StatusGreedy means that the assignment is the heuristic's.
	StatusGreedy Status = "greedy"
	// StatusAbandoned means that the solver overran its limit and was stopped
	// from outside; the assignment is the best that it had told.
	StatusAbandoned Status = "abandoned"
	// StatusWorkerLost means that the solver's process died or talked
	// nonsense; the assignment is the best that is known without it.
	StatusWorkerLost Status = "worker_lost"
)

// Assignment is a feasible selection of columns.
type Assignment struct {
	// Selected are column indices, ascending.
	Selected []int
	// Objective is the value of Selected. Bound is proven: no selection is
	// better.
	Objective, Bound float64
	Status           Status
	// Phases are the stages of the search, in their order; empty where the
	// solver has no stages.
	Phases []Phase
}

// Phase is one stage of a search.
type Phase struct {
	Name string
	// Time is real time. Work counts steps of the stage's own kind; equal
	// problems have equal work, as long as the time limit is not reached.
	Time time.Duration
	Work int
	// Objective and Bound are those of the assignment after the stage.
	Objective, Bound float64
}

// Gap is (Bound-Objective)/Objective, or -1 where that is no number.
func (a Assignment) Gap() float64 {
	switch {
	case a.Bound <= a.Objective:
		return 0
	case a.Objective <= 0 || math.IsInf(a.Bound, 1):
		return -1
	default:
		return (a.Bound - a.Objective) / a.Objective
	}
}

// String shows the assignment on one line.
func (a Assignment) String() string {
	return fmt.Sprintf("%s: columns %v, objective %.6g, bound %.6g, gap %.3g", a.Status, a.Selected, a.Objective, a.Bound, a.Gap())
}

// trivialBound is the value of the best column of each group: what could be
// won if no two groups met.
func trivialBound(p Problem) float64 {
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

// packing keeps track of a growing and shrinking feasible selection.
type packing struct {
	problem  Problem
	selected []bool
	value    float64
	slack    []int
	// rows and amounts are the problem by columns.
	rows, amounts [][]int
}

func newPacking(p Problem) *packing {
	k := &packing{
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
func (k *packing) fits(i int) bool {
	for t, r := range k.rows[i] {
		if k.slack[r] < k.amounts[i][t] {
			return false
		}
	}
	return true
}

func (k *packing) add(i int) {
	k.selected[i] = true
	k.value += k.problem.Objective[i]
	for t, r := range k.rows[i] {
		k.slack[r] -= k.amounts[i][t]
	}
}

func (k *packing) remove(i int) {
	k.selected[i] = false
	k.value -= k.problem.Objective[i]
	for t, r := range k.rows[i] {
		k.slack[r] += k.amounts[i][t]
	}
}

// columns returns the selection, ascending.
func (k *packing) columns() []int {
	selected := []int{}
	for i, s := range k.selected {
		if s {
			selected = append(selected, i)
		}
	}
	return selected
}
