package packing

import (
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// trail keeps the best selection and bound of the stages so far, and a record of each
// stage.
type trail struct {
	problem auction.Problem
	best    auction.Assignment
	clock   func() time.Duration
	since   time.Duration
	groups  int
}

func newTrail(p auction.Problem, clock func() time.Duration) *trail {
	return &trail{
		problem: p, clock: clock, since: clock(), groups: len(p.Groups()),
		best: auction.Assignment{Selected: []int{}, Bound: math.Inf(1), Status: program.StatusGreedy},
	}
}

// raise takes a feasible selection if it is better.
func (t *trail) raise(selected []int) bool {
	value := t.problem.Value(selected)
	if value <= t.best.Objective {
		return false
	}
	t.best.Selected, t.best.Objective = selected, value
	t.settle()
	return true
}

// lower takes a proven bound if it is better.
func (t *trail) lower(bound float64) {
	if bound < t.best.Bound {
		t.best.Bound = bound
	}
	t.settle()
}

// settle sets the status to optimal when bound and value differ by no more than
// rounding, and to enough when they do by no more than the problem allows.
func (t *trail) settle() {
	switch {
	case t.best.Bound <= t.best.Objective+margin:
		t.best.Bound, t.best.Status = t.best.Objective, program.StatusOptimal
	case t.best.Bound <= t.best.Objective*(1+t.problem.Enough):
		t.best.Status = program.StatusEnough
	}
}

// share is the gap divided by the number of groups. A column whose reduced value is
// further below the best of its group is unlikely to win.
func (t *trail) share() float64 { return (t.best.Bound - t.best.Objective) / float64(1+t.groups) }

func (t *trail) done() bool { return t.best.Status.Done() }

func (t *trail) phase(name string, work int) {
	now := t.clock()
	t.best.Phases = append(t.best.Phases, auction.Phase{
		Name: name, Time: now - t.since, Work: work, Objective: t.best.Objective, Bound: t.best.Bound,
	})
	t.since = now
}
