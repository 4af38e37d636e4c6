package packing

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Known is what is known about a problem already.
type Known struct {
	// Selected is feasible, Bound proven.
	Selected []int
	Bound    float64
}

// Solve runs the stages that need an engine and returns the best assignment,
// also with an error. It reports after each stage. The status is optimal, or
// work_limit, or time_limit if the time was what ended a stage.
func Solve(p auction.Problem, known Known, engine Engine, l Limits, report func(auction.Assignment)) (auction.Assignment, error) {
	l = l.withDefaults()
	t := newTrail(p, l.Clock)
	t.raise(known.Selected)
	t.lower(known.Bound)
	if t.proven() {
		return t.best, nil
	}
	found, err := engine.Branch(p, t.best.Selected, l.Seed, max(time.Millisecond, l.Time-l.Clock()))
	if err != nil {
		return t.best, fmt.Errorf("branch: %w", err)
	}
	t.branched(found)
	t.phase("branch", found.Nodes)
	report(t.best)
	return t.best, nil
}

// branched takes what an engine found. A selection that violates a row within
// the engine's tolerances is none.
func (t *trail) branched(found Branched) {
	// tolerance is the relative error up to which an optimum in floating point
	// may fall below a selection that should have been found.
	const tolerance = 1e-9
	if found.Selected != nil && t.problem.Check(found.Selected) == nil {
		value := t.problem.Value(found.Selected)
		if found.Optimal && value >= t.best.Objective*(1-tolerance) {
			found.Bound = value
		}
		t.raise(found.Selected)
	}
	if found.Bound >= t.best.Objective*(1-tolerance) {
		t.lower(found.Bound)
	}
}
