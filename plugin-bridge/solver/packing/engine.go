package packing

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Engine is a solver of linear and integer programs. Package highs has one.
type Engine interface {
	// Relax loads the linear relaxation of a program with at least one column. The limit bounds all its solves
	// together, which may overrun it. A solve ends when onward, which it calls often, returns false.
	Relax(p auction.Problem, limit time.Duration, onward func() bool) (Relaxation, error)
	// Branch solves a program with at least one column, from a feasible
	// selection. It may overrun the time. It calls watch often with the better
	// selections and bounds that it finds, and ends when watch returns false.
	Branch(p auction.Problem, start []int, l BranchLimits, watch func(Branched) bool) (Branched, error)
}

// BranchLimits bound Engine.Branch.
type BranchLimits struct {
	Seed  uint64
	Time  time.Duration
	Nodes int
}

// Relaxation is a linear program that grows: 0 <= b_i <= 1 and rows as given.
type Relaxation interface {
	Add(rows []auction.Constraint) error
	// Solve starts from where the last solve ended.
	Solve() (Point, error)
}

// Point is a solution of a relaxation.
type Point struct {
	// Solved is false if the time ran out or the solver met numerical trouble;
	// the other fields are empty then.
	Solved bool
	// Columns are values of the columns, Duals the multipliers of the rows, not
	// negative, in the order in which the rows were given.
	Columns, Duals []float64
	Iterations     int
}

// Branched is what a search for integer solutions found.
type Branched struct {
	// Selected is the best selection, nil if there is none.
	Selected []int
	// Bound is proven, +Inf if nothing is.
	Bound   float64
	Optimal bool
	// Nodes is the number of nodes searched.
	Nodes int
}
