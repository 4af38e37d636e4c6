package highs

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Guide is what HiGHS begins with, and where it reports its progress.
type Guide struct {
	// Start is a feasible point to begin with, nil for none.
	Start []float64
	// Improved gets each better point as it is found, and each better bound without
	// a point; nil is not told. HiGHS waits until it returns.
	Improved func(values []float64, bound float64)
}

// SolveProgram solves any valid program with HiGHS alone, without stages of package
// packing. The limit is of real time. HiGHS looks at it only between its steps and may
// overrun it; solver.Solver.SolveProgram does not.
//
// Values of whole variables are whole, and the solution was checked against p.
// Reaching the limit is a status: Values are then the best point found, if any.
// SolveProgram fails with ErrNotBuilt, or when HiGHS fails.
func (Engine) SolveProgram(p program.Program, limit time.Duration, g Guide) (program.Solution, error) {
	worst := math.Inf(1)
	if !p.Maximise {
		worst = math.Inf(-1)
	}
	// Rows without terms would shift the matrix that lanl/highs builds.
	whole := p
	whole.Rows = nil
	for _, r := range p.Rows {
		switch {
		case len(r.Variables) > 0:
			whole.Rows = append(whole.Rows, r)
		case r.Sense != program.AtLeast && r.RHS < 0 || r.Sense != program.AtMost && r.RHS > 0:
			return program.Solution{Status: program.StatusInfeasible, Bound: worst}, nil
		}
	}
	if len(whole.Variables) == 0 {
		return program.Solution{Status: program.StatusOptimal, Values: []float64{}}, nil
	}
	found, err := runProgram(whole, max(limit, time.Millisecond), g.Start, func(values []float64, bound float64) {
		if g.Improved != nil {
			// HiGHS allows itself tolerances that rounding may take away.
			roundWhole(p, values)
			if values != nil && p.Check(values, program.Tolerance) != nil {
				values = nil
			}
			g.Improved(values, bound)
		}
	})
	if err != nil {
		return program.Solution{}, fmt.Errorf("solve program: %w", err)
	}
	return found.solution(p, worst)
}

// Model statuses of HiGHS, from HighsModelStatus of highs_c_api.h.
const (
	statusOptimal               = 7
	statusInfeasible            = 8
	statusUnboundedOrInfeasible = 9
	statusUnbounded             = 10
	statusTimeLimit             = 13
)

// programOutcome is what HiGHS says about a program.
type programOutcome struct {
	status int
	// values is nil if HiGHS has no feasible point; bound is infinite if it
	// has proven none.
	values []float64
	bound  float64
}

// solution makes a Solution of what HiGHS says. It takes the bound as it is, and checks
// the point against p.
func (o programOutcome) solution(p program.Program, worst float64) (program.Solution, error) {
	s := program.Solution{Bound: o.bound}
	switch o.status {
	case statusOptimal:
		s.Status = program.StatusOptimal
	case statusTimeLimit:
		s.Status = program.StatusTimeLimit
	case statusInfeasible:
		return program.Solution{Status: program.StatusInfeasible, Bound: worst}, nil
	case statusUnboundedOrInfeasible, statusUnbounded:
		return program.Solution{Status: program.StatusUnbounded, Bound: worst}, nil
	default:
		return s, fmt.Errorf("solve program: HiGHS ended with model status %d", o.status)
	}
	if o.values == nil {
		if s.Status == program.StatusOptimal {
			return s, errors.New("solve program: HiGHS has an optimum but no point")
		}
		return s, nil
	}
	s.Values = o.values
	roundWhole(p, s.Values)
	if err := p.Check(s.Values, program.Tolerance); err != nil {
		return s, fmt.Errorf("solve program: HiGHS's point is not feasible: %w", err)
	}
	s.Objective = p.Value(s.Values)
	// HiGHS proves bounds within its tolerances. Where our own sum of the point is
	// better than the bound, or below it by no more than rounding, the sum is the
	// bound.
	if s.Status == program.StatusOptimal && math.Abs(s.Bound-s.Objective) <= 1e-12*math.Abs(s.Objective) {
		s.Bound = s.Objective
	}
	if p.Maximise {
		s.Bound = math.Max(s.Bound, s.Objective)
	} else {
		s.Bound = math.Min(s.Bound, s.Objective)
	}
	return s, nil
}

// roundWhole rounds the values of whole variables; HiGHS has them whole within its
// tolerances. A nil point stays nil.
func roundWhole(p program.Program, values []float64) {
	for i := range values {
		if p.Variables[i].Integer {
			values[i] = math.Round(values[i])
		}
	}
}
