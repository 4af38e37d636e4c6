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

// SolveProgram has the worker solve a program of any form with HiGHS alone. It
// returns within the limit what was found; HiGHS is told a little less than the
// limit and usually ends by itself. Nothing can be had from a worker that overruns
// and is killed: the status is then StatusAbandoned, without a point. The point was
// checked against p. SolveProgram fails when the worker does, or when the context
// ends.
func (s *Solver) SolveProgram(ctx context.Context, p program.Program, limit time.Duration) (program.Solution, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	var last answer
	err := s.converse(ctx, request{Program: flatten(p)}, func(a answer) error {
		last = a
		return nil
	})
	var lost lostError
	switch {
	case errors.As(err, &lost) && lost.limit:
		return abandoned(p, err), nil
	case err != nil:
		return program.Solution{}, fmt.Errorf("solve program: %w", err)
	case last.Failure != "":
		return program.Solution{}, errors.New(last.Failure)
	}
	found := program.Solution{Status: last.Status, Values: last.Values, Bound: last.Bound}
	if found.Values == nil {
		return found, nil
	}
	if err := p.Check(found.Values, program.Tolerance); err != nil {
		return program.Solution{}, fmt.Errorf("solve program: the worker's point is not feasible: %w", err)
	}
	found.Objective = p.Value(found.Values)
	return found, nil
}

// abandoned is all that is known of a program without a solver.
func abandoned(p program.Program, cause error) program.Solution {
	bound := math.Inf(1)
	if !p.Maximise {
		bound = math.Inf(-1)
	}
	return program.Solution{Status: program.StatusAbandoned, Cause: cause.Error(), Bound: bound}
}

// SolveHere solves a program of any form with HiGHS in this process. It may overrun
// the limit, and cannot be stopped.
func SolveHere(p program.Program, limit time.Duration) (program.Solution, error) {
	engine, err := highs.New()
	if err != nil {
		return program.Solution{}, err
	}
	return engine.SolveProgram(p, limit)
}

// HiGHSVersion returns the version of HiGHS, or [highs.ErrNotBuilt].
func HiGHSVersion() (string, error) {
	if _, err := highs.New(); err != nil {
		return "", err
	}
	return highs.Version(), nil
}
