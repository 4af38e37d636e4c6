package auction

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Solver solves problems. Package solver has the one of the product, and package
// auctiontest those of tests.
type Solver interface {
	// Solve returns a feasible assignment. It fails when the context ends, or
	// when the solver cannot take the problem at all. Running out of time is not a
	// failure but a Status.
	Solve(ctx context.Context, p Problem) (Assignment, error)
}

// Assignment is a feasible selection of columns.
type Assignment struct {
	// Selected are column indices, ascending.
	Selected []int
	// Objective is the value of Selected. Bound is proven: no selection is
	// better.
	Objective, Bound float64
	Status           program.Status
	// Cause says why the solver's process was lost or abandoned, or why a stage
	// failed; empty if all went well.
	Cause string
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
	// Objective and Bound of the assignment after the stage.
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
