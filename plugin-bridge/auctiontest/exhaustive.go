package auctiontest

import (
	"context"
	"fmt"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Exhaustive finds an optimum by trying, job by job, each of the job's bids and none. It
// turns back where even the best bids of all jobs that are left would not beat the best
// selection found. The tests of all other solvers compare with it. It serves small
// instances only. On these it is some thousand times faster than ExhaustiveProgram,
// which does not know that a job wins at most once.
type Exhaustive struct {
	// MaxSteps bounds the number of selections tried; 0 means 50 million.
	MaxSteps int
}

// Solve returns an optimal assignment. Of several it returns the first in
// column order, so that equal problems have equal answers. It fails when the
// instance needs more than MaxSteps, or the context ends.
func (e Exhaustive) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	search := exhaustive{ctx: ctx, groups: p.Groups(), chosen: newFeasible(p), steps: e.MaxSteps, best: []int{}}
	if search.steps == 0 {
		search.steps = 50_000_000
	}
	search.beyond = make([]float64, len(search.groups)+1)
	for g := len(search.groups) - 1; g >= 0; g-- {
		top := 0.0
		for _, i := range search.groups[g] {
			top = max(top, p.Objective[i])
		}
		search.beyond[g] = search.beyond[g+1] + top
	}
	if err := search.visit(0); err != nil {
		return auction.Assignment{}, fmt.Errorf("solve %d columns exhaustively: %w", len(p.Objective), err)
	}
	value := p.Value(search.best)
	return auction.Assignment{Selected: search.best, Objective: value, Bound: value, Status: program.StatusOptimal}, nil
}

type exhaustive struct {
	ctx    context.Context
	groups [][]int
	chosen *feasible
	// beyond[g] is the value of the best bids of groups g and later.
	beyond []float64
	steps  int
	best   []int
	value  float64
}

func (e *exhaustive) visit(g int) error {
	if e.steps--; e.steps < 0 {
		return fmt.Errorf("too many steps")
	}
	if e.steps%4096 == 0 {
		if err := e.ctx.Err(); err != nil {
			return err
		}
	}
	// The margin keeps the rounding of sums from ending the search early or
	// from preferring one of two equal selections.
	const margin = 1e-11
	if e.chosen.value > e.value+margin {
		e.best, e.value = e.chosen.columns(), e.chosen.value
	}
	if g == len(e.groups) || e.chosen.value+e.beyond[g] <= e.value+margin {
		return nil
	}
	for _, i := range e.groups[g] {
		if !e.chosen.fits(i) {
			continue
		}
		e.chosen.add(i)
		err := e.visit(g + 1)
		e.chosen.remove(i)
		if err != nil {
			return err
		}
	}
	return e.visit(g + 1)
}
