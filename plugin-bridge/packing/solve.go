package packing

import (
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Known is what is known about a problem already.
type Known struct {
	// Selected is feasible, Bound proven.
	Selected []int
	Bound    float64
}

// The work of the stages with an engine, chosen on the windows of odd seeds of
// auctiontest and reported on even ones (docs/design/004-solver.md).
const (
	// bigTerms is the size from which a Lagrangean bound comes before the
	// linear program, because that may not end in time, and before the
	// reduction, which takes as long as a round of it.
	bigTerms = 100_000
	bigSteps = 300
	// bigSearchWork is about 0.1 s.
	bigSearchWork = 40_000_000
	// bigRounds alternate bound and search, which help each other. With four the
	// linear program, and the search on its support, come too late, but for
	// hugeTerms it takes seconds and comes too late anyway.
	bigRounds  = 2
	hugeRounds = 4
	hugeTerms  = 500_000
	cutLoops   = 30
	// More cuts of a kind at once mostly cut the same point off.
	cutsAtOnce = 150
	// A reduction that leaves more than this part of the columns ends the
	// rounds of cutting and fixing.
	worthwhile = 0.8
	rounds     = 4
	// branchWork of enumeration is about 0.05 s, and fewWork, once and where few
	// columns are left, 0.8 s: it ends there what an engine does not in many
	// seconds, selections of a few large jobs.
	branchWork = 10_000_000
	fewWork    = 150_000_000
	few        = 512
	// branchNodes ends the engine's search where more time would be in vain.
	branchNodes = 100_000
)

// searchWork and supportWork are the work of the first local search and of that
// on the support of a linear program: passes over the terms, up to a limit.
func searchWork(terms int) int  { return min(250*terms, 10_000_000) }
func supportWork(terms int) int { return min(5000*terms, 50_000_000) }

// Solve runs the stages that need an engine and returns the best assignment,
// also with an error. It reports after each stage. The status is optimal, or
// work_limit if the engine's search ended at its nodes, or time_limit.
func Solve(p auction.Problem, known Known, engine Engine, l Limits, report func(auction.Assignment)) (auction.Assignment, error) {
	r := run{trail: newTrail(p, l.withDefaults().Clock), engine: engine, limits: l.withDefaults(), report: report}
	r.raise(known.Selected)
	r.lower(known.Bound)
	if r.proven() {
		return r.best, nil
	}
	r.best.Status = auction.StatusTimeLimit
	err := r.stages(newProgram(p))
	return r.best, err
}

// run is one walk through the stages.
type run struct {
	*trail
	engine Engine
	limits Limits
	report func(auction.Assignment)
}

// over ends a stage and reports whether it was the last.
func (r *run) over(name string, work int) bool {
	r.phase(name, work)
	r.report(r.best)
	return r.proven() || r.limits.Stop()
}

func (r *run) left() time.Duration { return max(time.Millisecond, r.limits.Time-r.limits.Clock()) }

func (r *run) stages(q program) error {
	if q.terms() > bigTerms {
		var done bool
		if q, done = r.lagrange(q); done {
			return nil
		}
	}
	q = q.reduce()
	if r.over("reduce", len(q.rows)) {
		return nil
	}
	if q.terms() <= bigTerms && r.over("search", r.search(q, q.model(), q.model().fitting(), searchWork(q.terms()))) {
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
		if r.over("support", r.search(cut, cut.model(), support(x), supportWork(q.terms()))) {
			return nil
		}
		// The conflicts know what the cuts say.
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
		q = cut.without(d.lambda).restrict(d.fix(m, r.best.Objective)).reduce()
		if r.over("fix", before-len(q.objective)) {
			return nil
		}
		if float64(len(q.objective)) > worthwhile*float64(before) {
			break
		}
	}
	return r.branch(q)
}

// search runs the local search on some columns of q, whose model is m.
func (r *run) search(q program, m *model, columns []int32, work int) int {
	selected, done := m.improveAmong(columns, q.here(r.best.Selected), math.Inf(1), r.limits, work)
	r.raise(q.there(selected))
	return done
}

// searched takes the result of an enumeration.
func (r *run) searched(selected []int, all bool) {
	r.raise(selected)
	if all {
		r.lower(r.best.Objective)
	}
}

// lagrange bounds and fixes without a linear program, and searches among the
// columns that the multipliers like, again and again.
func (r *run) lagrange(q program) (program, bool) {
	m := q.model()
	allowed := m.fitting()
	d := newDual(m, make([]float64, m.rows()))
	rounds := bigRounds
	if q.terms() > hugeTerms {
		rounds = hugeRounds
	}
	for range rounds {
		var steps int
		d, steps = subgradient(m, d.lambda, r.best.Objective, bigSteps, r.limits.Stop)
		r.lower(d.bound)
		if r.over("dual", steps) {
			return q, true
		}
		if r.over("near", r.search(q, m, intersect(allowed, d.near(m, r.share())), bigSearchWork)) {
			return q, true
		}
		// Another round goes another way.
		r.limits.Seed++
	}
	q = q.restrict(d.fix(m, r.best.Objective))
	return q, r.over("fix", m.columns()-len(q.objective))
}

// branch has the engine decide what is left.
func (r *run) branch(q program) error {
	p, _ := q.relaxed()
	start := newSelection(q.model(), q.here(r.best.Selected), q.model().fitting()).columns()
	watch := func(found Branched) bool {
		before := r.best
		r.branched(q, p, found)
		// A report costs more than most steps of the search.
		if r.best.Objective > before.Objective || r.best.Bound < before.Bound-(before.Bound-before.Objective)/100 {
			r.report(r.best)
		}
		return !r.proven() && !r.limits.Stop()
	}
	found, err := r.engine.Branch(p, start, BranchLimits{Seed: r.limits.Seed, Time: r.left(), Nodes: branchNodes}, watch)
	if err != nil {
		return fmt.Errorf("branch: %w", err)
	}
	r.branched(q, p, found)
	if !r.proven() && found.Nodes >= branchNodes {
		r.best.Status = auction.StatusWorkLimit
	}
	r.over("branch", found.Nodes)
	return nil
}

// branched takes what an engine found in p, which is q with its groups as rows.
// A selection that violates a row within the engine's tolerances is none.
func (r *run) branched(q program, p auction.Problem, found Branched) {
	// tolerance is the relative error up to which an optimum in floating point
	// may fall below a selection that should have been found.
	const tolerance = 1e-9
	if found.Selected != nil && p.Check(found.Selected) == nil {
		if value := p.Value(found.Selected); found.Optimal && value >= found.Bound*(1-tolerance) {
			found.Bound = value
		}
		r.raise(q.there(found.Selected))
	}
	// What is not in q any more cannot beat the incumbent.
	r.lower(max(found.Bound, r.best.Objective))
}
