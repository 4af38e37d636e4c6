package packing

import (
	"context"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Limits bound the pure stages by counted work, so that equal problems have
// equal answers. The stages also end when Stop says so.
type Limits struct {
	Seed uint64
	// Search and Branch count the rows and columns looked at, Steps the steps of
	// the Lagrangean bound.
	Search, Branch, Steps int
	// Time bounds the calls of an engine, which counts no work that we could
	// bound; Stop ends all other stages, at the same deadline. nil never does.
	Time time.Duration
	Stop func() bool
	// Clock reads a monotonic clock for the phases; nil leaves their times 0.
	Clock func() time.Duration
}

// QuickLimits keep Quick below about 10 ms on one core, and at 1 ms for a few
// tens of bids; a program of 20,000 to a million terms takes 0.05 to 0.1 s.
func QuickLimits() Limits {
	return Limits{Search: 150_000, Branch: 1_000_000, Steps: 300}
}

func (l Limits) withDefaults() Limits {
	if l.Stop == nil {
		l.Stop = func() bool { return false }
	}
	if l.Clock == nil {
		l.Clock = func() time.Duration { return 0 }
	}
	return l
}

// bigSearch is the number of terms from which a search among the columns that
// the Lagrangean bound likes pays before anything else.
const bigSearch = 20_000

// Quick solves easy problems to the optimum and gives others a first selection
// and bound: a short local search, a Lagrangean bound, for a large program a
// search among the columns that the bound likes, and a branch and bound on the
// columns that the bound leaves. The status is optimal or greedy.
func Quick(p auction.Problem, l Limits) auction.Assignment {
	l = l.withDefaults()
	t := newTrail(p, l.Clock)
	q := newProgram(p)
	m := q.model()
	allowed := m.fitting()

	d := newDual(m, make([]float64, m.rows()))
	t.lower(d.bound)
	selected, work := improve(m, nil, allowed, d.bound, l.Seed, l.Search, l.Stop)
	t.raise(selected)
	t.phase("search", work)
	if t.proven() {
		return t.best
	}
	d, work = subgradient(m, d.lambda, t.best.Objective, l.Steps, l.Stop)
	t.lower(d.bound)
	t.phase("dual", work)
	if t.proven() || l.Stop() {
		return t.best
	}
	if q.terms() > bigSearch {
		// All later stages start much later on a large program.
		near, starts := intersect(allowed, d.near(m, t.share())), 1
		if q.terms() > bigTerms {
			starts = 2
		}
		for range starts {
			selected, work = m.improveAmong(near, t.best.Selected, d.bound, l, 100*l.Search)
			t.raise(selected)
			t.phase("near", work)
			// Another start goes another way.
			l.Seed++
		}
	}
	open := intersect(allowed, d.fix(m, t.best.Objective))
	selected, done, work := branch(m, d, t.best.Selected, t.best.Objective, open, l.Branch, l.Stop)
	t.raise(selected)
	if done {
		t.lower(t.best.Objective)
	}
	t.phase("branch", work)
	return t.best
}

// intersect returns what two ascending lists share.
func intersect(a, b []int32) []int32 {
	var both []int32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// QuickSolver is Quick with its usual limits as an auction.Solver: what there is
// without HiGHS. It does not look at the context, since it ends within
// milliseconds.
type QuickSolver struct{}

// Solve never fails.
func (QuickSolver) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	return Quick(p, QuickLimits()), nil
}
