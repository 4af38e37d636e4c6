package auctiontest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// ExhaustiveProgram solves a program by trying the values of one whole variable after the
// other. After each choice it narrows the bounds of all variables by each row alone. It
// turns back where a row cannot hold any more, or where not even the best values within
// all bounds would beat the best point found. The tests of other solvers compare with
// it. It serves small programs only.
type ExhaustiveProgram struct {
	// MaxSteps bounds the number of values tried; 0 means 5 million.
	MaxSteps int
}

// Solve returns an optimal solution, or that there is none. Each variable needs
// finite bounds, and those that are not whole must follow from the whole ones
// through the rows. It also fails when the program needs more than MaxSteps,
// and when the context ends.
func (e ExhaustiveProgram) Solve(ctx context.Context, p program.Program) (program.Solution, error) {
	s := &programSearch{ctx: ctx, program: Minimised(p), steps: e.MaxSteps, best: math.Inf(1)}
	if s.steps == 0 {
		s.steps = 5_000_000
	}
	b := box{make([]float64, len(p.Variables)), make([]float64, len(p.Variables))}
	for i, v := range p.Variables {
		if math.IsInf(v.Lower, 0) || math.IsInf(v.Upper, 0) {
			return program.Solution{}, fmt.Errorf("solve exhaustively: variable %s is not bounded on both sides", v.Name)
		}
		b.lower[i], b.upper[i] = v.Lower, v.Upper
	}
	if err := s.visit(b); err != nil {
		return program.Solution{}, fmt.Errorf("solve %d variables exhaustively: %w", len(p.Variables), err)
	}
	if s.point == nil {
		return program.Solution{Status: program.StatusInfeasible}, nil
	}
	value := p.Value(s.point)
	return program.Solution{Status: program.StatusOptimal, Values: s.point, Objective: value, Bound: value}, nil
}

type programSearch struct {
	ctx     context.Context
	program program.Program
	steps   int
	point   []float64
	best    float64
}

// box is the values that the variables may still take.
type box struct{ lower, upper []float64 }

const (
	// roundOff is far above the error of a sum of a few terms and far below
	// what the coefficients of our programs can tell apart.
	roundOff = 1e-9
	// margin keeps equal objective values from counting as better.
	margin = 1e-9
)

// visit tries the values of the first variable that is still open.
func (s *programSearch) visit(b box) error {
	if s.steps--; s.steps < 0 {
		return errors.New("too many steps")
	}
	if s.steps%1024 == 0 {
		if err := s.ctx.Err(); err != nil {
			return err
		}
	}
	if !s.narrow(b) || s.least(b) >= s.best-margin {
		return nil
	}
	open := s.open(b)
	if open < 0 {
		return s.leaf(b)
	}
	// Values of better objective come first, since a good point that is found early
	// cuts off more.
	from, to, step := b.lower[open], b.upper[open], 1.0
	if s.program.Variables[open].Objective < 0 {
		from, to, step = to, from, -1
	}
	for x := from; ; x += step {
		try := box{slices.Clone(b.lower), slices.Clone(b.upper)}
		try.lower[open], try.upper[open] = x, x
		if err := s.visit(try); err != nil || x == to {
			return err
		}
	}
}

// open returns the first whole variable that has more than one value left, or
// -1.
func (s *programSearch) open(b box) int {
	for i, v := range s.program.Variables {
		if v.Integer && b.lower[i] < b.upper[i] {
			return i
		}
	}
	return -1
}

// leaf takes the one point that is left, if it is feasible and better.
func (s *programSearch) leaf(b box) error {
	for i, v := range s.program.Variables {
		if b.upper[i]-b.lower[i] > program.Tolerance {
			return fmt.Errorf("variable %s does not follow from the whole ones", v.Name)
		}
	}
	if value := s.program.Value(b.lower); value < s.best-margin && s.program.Check(b.lower, program.Tolerance) == nil {
		s.point, s.best = b.lower, value
	}
	return nil
}

// least is a lower bound of the objective in the box.
func (s *programSearch) least(b box) float64 {
	sum := 0.0
	for i, v := range s.program.Variables {
		sum += math.Min(v.Objective*b.lower[i], v.Objective*b.upper[i])
	}
	return sum
}

// narrow shrinks the box until no row alone can shrink it any more, and reports
// false if that leaves nothing.
func (s *programSearch) narrow(b box) bool {
	for i, v := range s.program.Variables {
		if v.Integer {
			b.lower[i], b.upper[i] = math.Ceil(b.lower[i]-roundOff), math.Floor(b.upper[i]+roundOff)
			if b.lower[i] > b.upper[i] {
				return false
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range s.program.Rows {
			if r.Sense != program.AtLeast && !s.narrowRow(b, r, 1, &changed) {
				return false
			}
			if r.Sense != program.AtMost && !s.narrowRow(b, r, -1, &changed) {
				return false
			}
		}
	}
	return true
}

// narrowRow does so for sign*row <= sign*RHS.
func (s *programSearch) narrowRow(b box, r program.Row, sign float64, changed *bool) bool {
	least := 0.0
	for t, i := range r.Variables {
		a := sign * r.Coefficients[t]
		least += math.Min(a*b.lower[i], a*b.upper[i])
	}
	room := sign*r.RHS - least
	if room < -roundOff {
		return false
	}
	for t, i := range r.Variables {
		a := sign * r.Coefficients[t]
		whole := s.program.Variables[i].Integer
		if a > 0 {
			limit := b.lower[i] + room/a
			if whole {
				limit = math.Floor(limit + roundOff)
			}
			if limit < b.upper[i]-roundOff {
				b.upper[i], *changed = math.Max(limit, b.lower[i]), true
			}
		} else {
			limit := b.upper[i] + room/a
			if whole {
				limit = math.Ceil(limit - roundOff)
			}
			if limit > b.lower[i]+roundOff {
				b.lower[i], *changed = math.Min(limit, b.upper[i]), true
			}
		}
	}
	return true
}
