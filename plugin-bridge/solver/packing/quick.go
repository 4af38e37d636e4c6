package packing

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Limits bound the pure stages by counted work, so that equal problems have
// equal answers. The stages also end when Stop says so.
type Limits struct {
	// Search and Branch count the rows and columns looked at, Steps the steps of
	// the Lagrangean bound.
	Search, Branch, Steps int
	// Time bounds the calls of an Engine, whose work we cannot count. Stop ends all
	// other stages and returns true from the same deadline on; nil never does.
	Time time.Duration
	Stop func() bool
	// Clock reads a monotonic clock for the phases; nil leaves their times 0.
	Clock func() time.Duration
}

// QuickLimits returns the limits of the product. With them Quick takes 1 ms for a few tens of bids and up to about 10
// ms for more, on one core. A program of 20,000 to 100,000 terms takes about 0.05 s, a larger one 0.1 to 0.2 s.
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

// bigSearch is the number of terms from which Quick searches among the columns of
// good reduced value before it branches.
const bigSearch = 20_000

// quickTurns are the turns of the hunt of Quick, about 0.1 s.
const quickTurns = 7

// Quick solves easy problems to the optimum and gives others a first selection and bound, in four stages. The first
// is a short local search, the second a Lagrangean bound. The third, for a large program, is another search among the
// columns of good reduced value, or a hunt for the largest ones. The last is a branch and bound over the columns that
// the bound does not rule out. The status is optimal, enough or greedy.
func Quick(p auction.Problem, l Limits) auction.Assignment {
	l = l.withDefaults()
	t := newTrail(p, l.Clock)
	q := newSubproblem(p)
	m := q.model()
	allowed := m.fitting()

	d := newDual(m, make([]float64, m.rows()))
	t.lower(d.bound)
	selected, work := improve(m, allowed, schedule{heat: hot, work: l.Search}, d.bound, l.Stop)
	t.raise(selected)
	t.phase("search", work)
	if t.done() {
		return t.best
	}
	d, work = subgradient(m, d.lambda, t.best.Objective, m.steps(l.Steps), l.Stop)
	t.lower(d.bound)
	t.phase("dual", work)
	if t.done() || l.Stop() {
		return t.best
	}
	if q.terms() > bigSearch {
		// On a large program the stages of Solve find their first selection much
		// later.
		turns, turn := 1, func(best []int) ([]int, int) {
			by := schedule{start: best, heat: hot, work: 100 * l.Search}
			return m.improveAmong(intersect(allowed, d.near(m, t.share())), by, d.bound, l.Stop)
		}
		if q.terms() > bigTerms {
			turns, turn = quickTurns, newHunt(m, allowed, d, t.best.Objective, 0, l.Stop).next
		}
		for range turns {
			selected, work = turn(t.best.Selected)
			t.raise(selected)
			t.phase("near", work)
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
