package highs

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// DefaultTimeLimit is that of the auction, AUCSCHED section 6.2.
const DefaultTimeLimit = 5 * time.Second

// ProgramOptions are the parameters of SolveProgram. The zero value is usable.
type ProgramOptions struct {
	// TimeLimit bounds the solve in real time; 0 means DefaultTimeLimit.
	TimeLimit time.Duration
	// Seed is the random seed of HiGHS.
	Seed uint32
}

// SolveProgram solves any valid program with HiGHS as it is: no start of ours,
// no reduction. HiGHS looks at its limit between its steps only and may overrun
// it; who cannot wait runs it in a process of its own.
//
// Values of whole variables are whole, and the solution was checked against p.
// Reaching the limit is a status: Values are then the best point found, if any.
// It fails with ErrNotBuilt, or when HiGHS fails.
func SolveProgram(p program.Program, o ProgramOptions) (program.Solution, error) {
	if o.TimeLimit <= 0 {
		o.TimeLimit = DefaultTimeLimit
	}
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
	found, err := runProgram(whole, o)
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

// solution believes HiGHS in what it proved, and checks what it found.
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
	for i, v := range p.Variables {
		if v.Integer {
			s.Values[i] = math.Round(s.Values[i])
		}
	}
	if err := p.Check(s.Values, program.Tolerance); err != nil {
		return s, fmt.Errorf("solve program: HiGHS's point is not feasible: %w", err)
	}
	s.Objective = p.Value(s.Values)
	// HiGHS proves bounds up to its tolerances; a point beyond one is better
	// knowledge, and one that rounding alone keeps from an optimum reaches it.
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
