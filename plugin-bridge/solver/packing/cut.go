package packing

import (
	"fmt"
	"math"
)

// cut solves the linear relaxation in a loop, each time with the cuts that the last
// point violates. It returns the subproblem with these cuts, the last point, and the
// multipliers of the best bound; the point is nil if the relaxation was never solved.
func (r *run) cut(q subproblem) (subproblem, []float64, *dual, error) {
	p, groupRows := q.relaxed()
	lp, err := r.engine.Relax(p, r.left(), func() bool { return !r.limits.Stop() })
	if err != nil {
		return q, nil, nil, fmt.Errorf("relax: %w", err)
	}
	var graph conflicts
	var x []float64
	var best *dual
	// The loop ends when the bound has not fallen by the part progress of the gap in
	// more than patience rounds.
	const progress, patience = 0.03, 3
	mark, stalled := math.Inf(1), 0
	for loop := range cutLoops {
		point, solveErr := lp.Solve()
		if solveErr != nil {
			return q, nil, nil, fmt.Errorf("solve relaxation: %w", solveErr)
		}
		if !point.Solved {
			break
		}
		x = point.Columns
		d := newDual(q.model(), point.Duals[groupRows:])
		r.lower(d.bound)
		if best == nil || d.bound <= best.bound {
			best = d
		}
		if loop == 0 {
			// Search before cutting: on large programs the deadline may come first.
			r.search(q, q.model(), support(x), r.onward(q, searchWork(q.terms())))
			r.report(r.best)
			graph = newConflicts(q.model())
		}
		if r.done() || r.limits.Stop() {
			break
		}
		if mark-best.bound < progress*(best.bound-r.best.Objective) {
			stalled++
		} else {
			mark, stalled = best.bound, 0
		}
		if stalled > patience {
			break
		}
		cuts := graph.cliqueCuts(x, cutsAtOnce)
		cuts = append(cuts, divisionCuts(q.rows, x, cutsAtOnce, &budget{left: divisionWork, stop: r.limits.Stop})...)
		if len(cuts) == 0 {
			break
		}
		if err := lp.Add(cuts); err != nil {
			return q, nil, nil, fmt.Errorf("add cuts: %w", err)
		}
		q.rows = append(q.rows[:len(q.rows):len(q.rows)], cuts...)
	}
	if best != nil {
		best.pad(q.model())
	}
	return q, x, best, nil
}

func support(x []float64) []int32 {
	var columns []int32
	for i, v := range x {
		if v > 1e-6 {
			columns = append(columns, int32(i))
		}
	}
	return columns
}
