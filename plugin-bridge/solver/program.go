package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
)

// SolveProgram has the worker solve a program of any form with HiGHS alone, from a feasible point if start is not
// nil. It returns within the limit the best point that was known by then, and the best bound. HiGHS gets a little
// less than the limit and usually ends by itself. When it does not, the worker is killed, and the status is
// StatusAbandoned. A worker that died, failed or answered what cannot be true has the status StatusWorkerLost, as in
// Solve: HiGHS itself ended its process by a failed assertion on some programs. All points were checked against p.
// SolveProgram fails when start is not feasible or the context ends.
func (s *Solver) SolveProgram(ctx context.Context, p program.Program, start []float64, limit time.Duration) (program.Solution, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	best := unsolved(p)
	if start != nil {
		if err := raise(p, &best, start); err != nil {
			return program.Solution{}, fmt.Errorf("solve program: start: %w", err)
		}
	}
	err := s.converse(ctx, request{Program: flatten(p), Point: start}, func(a answer) error {
		if a.Failure != "" {
			best.Status, best.Cause = program.StatusWorkerLost, a.Failure
			return nil
		}
		return improve(p, &best, a)
	})
	var lost lostError
	switch {
	case err == nil:
	case errors.As(err, &lost):
		best.Status, best.Cause = lost.status(), lost.Error()
	default:
		return program.Solution{}, fmt.Errorf("solve program: %w", err)
	}
	return best, nil
}

// unsolved is all that is known of a program without a solver.
func unsolved(p program.Program) program.Solution {
	if p.Maximise {
		return program.Solution{Bound: math.Inf(1)}
	}
	return program.Solution{Bound: math.Inf(-1)}
}

// improve takes the better parts of an answer. It fails, and takes none, if the answer
// cannot be true: a point that is not feasible, or a proof that a known point contradicts.
func improve(p program.Program, best *program.Solution, a answer) error {
	next := *best
	if a.Values != nil {
		if err := raise(p, &next, a.Values); err != nil {
			return err
		}
	}
	sign := direction(p)
	next.Bound = sign * math.Min(sign*next.Bound, sign*a.Bound)
	if next.Values != nil {
		// Solvers prove bounds within their tolerances.
		short := sign * (next.Objective - next.Bound)
		if short > program.Tolerance*math.Max(1, math.Abs(next.Objective)) {
			return fmt.Errorf("bound %g beside a known point of %g", next.Bound, next.Objective)
		}
		if short > 0 {
			next.Bound = next.Objective
		}
	}
	if next.Status = a.Status; next.Values != nil && (a.Status == program.StatusInfeasible || a.Status == program.StatusUnbounded) {
		return fmt.Errorf("status %s beside a known point of %g", a.Status, next.Objective)
	}
	*best = next
	return nil
}

// raise takes a feasible point if it is better than the known one.
func raise(p program.Program, best *program.Solution, point []float64) error {
	if err := p.Check(point, program.Tolerance); err != nil {
		return fmt.Errorf("a point that is not feasible: %w", err)
	}
	if value := p.Value(point); best.Values == nil || direction(p)*(value-best.Objective) > 0 {
		best.Values, best.Objective = point, value
	}
	return nil
}

// direction is 1 for a maximum and -1 for a minimum.
func direction(p program.Program) float64 {
	if p.Maximise {
		return 1
	}
	return -1
}

// SolveHere solves a program of any form with HiGHS in this process. It may overrun
// the limit, and cannot be stopped.
func SolveHere(p program.Program, limit time.Duration) (program.Solution, error) {
	engine, err := highs.New()
	if err != nil {
		return program.Solution{}, err
	}
	return engine.SolveProgram(p, limit, highs.Guide{})
}

// HiGHSVersion returns the version of HiGHS, or [highs.ErrNotBuilt].
func HiGHSVersion() (string, error) {
	if _, err := highs.New(); err != nil {
		return "", err
	}
	return highs.Version(), nil
}
