package packing

import (
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Known is what is known about a problem already.
type Known struct {
	// Selected is feasible, Bound proven.
	Selected []int
	Bound    float64
}

// The work of the stages with an engine, chosen on the windows of odd seeds of
// auctiontest and reported on even ones (docs/records/004-solver).
const (
	// From bigTerms on, rounds of Lagrangean bound and search come first: the linear
	// program may not end in time, and the reduction takes as long as one round.
	bigTerms = 100_000
	bigSteps = 300
	// bigTurns are the turns of the hunt of a round, about 0.1 s.
	bigTurns = 9
	// bigRounds is the number of these rounds. Four would leave too little time to
	// the linear program and to the search among its columns; above hugeTerms the
	// linear program takes seconds and comes too late anyway, hence hugeRounds.
	bigRounds  = 3
	hugeRounds = 4
	hugeTerms  = 500_000
	cutLoops   = 30
	// cutsAtOnce limits the cuts of one kind in one round: more of them mostly cut
	// off the same point.
	cutsAtOnce = 150
	// tightenWork of a reduction and divisionWork of a round of cuts are about
	// 0.1 s each. Rows of cores and GPUs need a hundredth of it; rows of memory in
	// MiB may have bounds of a million.
	tightenWork  = 100_000_000
	divisionWork = 100_000_000
	// The rounds of cutting and fixing end when one of them leaves more than the
	// part worthwhile of the columns.
	worthwhile = 0.8
	rounds     = 4
	// The enumeration may do branchWork, about 0.05 s, and, once and where at most few columns are left, fewWork, 0.8
	// s. Among few large jobs it proves optima for which HiGHS needs many seconds.
	branchWork = 10_000_000
	fewWork    = 150_000_000
	few        = 512
	// branchNodes ends the Engine's search where more time was in vain.
	branchNodes = 100_000
)

// searchWork and supportWork bound the first local search, and the one among the columns that the point of a linear
// program uses. They are a number of passes over the terms, up to a limit.
func searchWork(terms int) int  { return min(250*terms, 10_000_000) }
func supportWork(terms int) int { return min(5000*terms, 50_000_000) }

// Solve runs the stages that need an engine and returns the best assignment,
// also with an error. It reports after each stage. The status is optimal or enough,
// or work_limit if the engine's search ended at its nodes, or time_limit.
func Solve(p auction.Problem, known Known, engine Engine, l Limits, report func(auction.Assignment)) (auction.Assignment, error) {
	r := run{trail: newTrail(p, l.withDefaults().Clock), engine: engine, limits: l.withDefaults(), report: report}
	r.raise(known.Selected)
	r.lower(known.Bound)
	if r.done() {
		return r.best, nil
	}
	r.best.Status = program.StatusTimeLimit
	err := r.stages(newSubproblem(p))
	return r.best, err
}

// run is one call of Solve.
type run struct {
	*trail
	engine Engine
	limits Limits
	// seed of the next search.
	seed   uint64
	report func(auction.Assignment)
}

// over records and reports a stage, and says whether it was the last: there is no
// more to look for, or the deadline is over.
func (r *run) over(name string, work int) bool {
	r.phase(name, work)
	r.report(r.best)
	return r.done() || r.limits.Stop()
}

func (r *run) left() time.Duration { return max(time.Millisecond, r.limits.Time-r.limits.Clock()) }

func (r *run) stages(q subproblem) error {
	if q.terms() > bigTerms {
		var done bool
		if q, done = r.lagrange(q); done {
			return nil
		}
	}
	q = q.reduce(r.limits.Stop)
	if r.over("reduce", len(q.rows)) {
		return nil
	}
	if q.terms() <= bigTerms && r.over("search", r.search(q, q.model(), q.model().fitting(), r.onward(q, searchWork(q.terms())))) {
		return nil
	}
	for round := range rounds {
		before := len(q.objective)
		cut, x, d, err := r.cut(q)
		if err != nil {
			return err
		}
		if r.over("cut", len(cut.rows)-len(q.rows)) {
			return nil
		}
		if x == nil {
			break
		}
		if r.over("support", r.search(cut, cut.model(), support(x), r.onward(cut, supportWork(q.terms())))) {
			return nil
		}
		// The enumeration needs no cuts: its conflicts already forbid the pairs of
		// columns that the clique cuts do.
		m := cut.withoutCuts().model()
		open := d.fix(m, r.best.Objective)
		budget := branchWork
		if round == 0 && len(open) <= few {
			budget = fewWork
		}
		selected, all, work := branch(m, d, cut.here(r.best.Selected), r.best.Objective, open, budget, r.limits.Stop)
		r.searched(cut.there(selected), all)
		if r.over("enumerate", work) {
			return nil
		}
		q = cut.without(d.lambda).restrict(d.fix(m, r.best.Objective)).reduce(r.limits.Stop)
		if r.over("fix", before-len(q.objective)) {
			return nil
		}
		if float64(len(q.objective)) > worthwhile*float64(before) {
			break
		}
	}
	return r.branch(q)
}

// onward is a search from the best selection so far.
func (r *run) onward(q subproblem, work int) schedule {
	return schedule{start: q.here(r.best.Selected), heat: hot, seed: r.seed, work: work}
}

// search runs the local search on some columns of q, whose model is m.
func (r *run) search(q subproblem, m *model, columns []int32, by schedule) int {
	selected, done := m.improveAmong(columns, by, math.Inf(1), r.limits.Stop)
	r.raise(q.there(selected))
	return done
}

// searched takes the result of an enumeration, which is a proof if it looked at all
// selections.
func (r *run) searched(selected []int, all bool) {
	r.raise(selected)
	if all {
		r.lower(r.best.Objective)
	}
}

// lagrange alternates between a Lagrangean bound and a hunt, and leaves out the columns that the bound rules out.
func (r *run) lagrange(q subproblem) (subproblem, bool) {
	m := q.model()
	allowed := m.fitting()
	d := newDual(m, make([]float64, m.rows()))
	rounds := bigRounds
	if q.terms() > hugeTerms {
		rounds = hugeRounds
	}
	for range rounds {
		var steps int
		d, steps = subgradient(m, d.lambda, r.best.Objective, m.steps(bigSteps), r.limits.Stop)
		r.lower(d.bound)
		if r.over("dual", steps) {
			return q, true
		}
		h := newHunt(m, allowed, d, r.best.Objective, r.seed+1, r.limits.Stop)
		for range bigTurns {
			selected, work := h.next(q.here(r.best.Selected))
			r.raise(q.there(selected))
			if r.over("near", work) {
				return q, true
			}
		}
		// Another seed makes the next round take other draws.
		r.seed++
	}
	q = q.restrict(d.fix(m, r.best.Objective))
	return q, r.over("fix", m.columns()-len(q.objective))
}

// branch has the Engine solve what is left.
func (r *run) branch(q subproblem) error {
	p, _ := q.relaxed()
	start := newSelection(q.model(), q.here(r.best.Selected), q.model().fitting()).columns()
	watch := func(found Branched) bool {
		before := r.best
		r.branched(q, p, found)
		// Reports go through a pipe: only an improvement is worth one.
		if r.best.Objective > before.Objective || r.best.Bound < before.Bound-(before.Bound-before.Objective)/100 {
			r.report(r.best)
		}
		return !r.done() && !r.limits.Stop()
	}
	found, err := r.engine.Branch(p, start, BranchLimits{Seed: r.seed, Time: r.left(), Nodes: branchNodes}, watch)
	if err != nil {
		return fmt.Errorf("branch: %w", err)
	}
	r.branched(q, p, found)
	if !r.done() && found.Nodes >= branchNodes {
		r.best.Status = program.StatusWorkLimit
	}
	r.over("branch", found.Nodes)
	return nil
}

// branched takes what the Engine found in p, which is q with its groups as rows. A
// selection that violates a row, if only within the Engine's tolerances, is not taken.
func (r *run) branched(q subproblem, p auction.Problem, found Branched) {
	// tolerance is the relative error up to which an optimum in floating point
	// may fall below a selection that should have been found.
	const tolerance = 1e-9
	if found.Selected != nil && p.Check(found.Selected) == nil {
		if value := p.Value(found.Selected); found.Optimal && value >= found.Bound*(1-tolerance) {
			found.Bound = value
		}
		r.raise(q.there(found.Selected))
	}
	// The Engine's bound holds for selections of q. All others contain a column that
	// was left out of q because it is in no selection better than the best known.
	r.lower(max(found.Bound, r.best.Objective))
}
