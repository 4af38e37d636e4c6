package program

import (
	"fmt"
	"math"
)

// Tolerance is the usual feasibility tolerance of solvers, for Check.
const Tolerance = 1e-6

// Value is the objective value of a point, summed in the order of the
// variables.
func (p Program) Value(point []float64) float64 {
	sum := 0.0
	for i, v := range p.Variables {
		sum += v.Objective * point[i]
	}
	return sum
}

// Check returns an error if the point has a value too many or too few. It returns one if the point leaves a bound, a
// constraint or a whole number by more than the tolerance, which is relative to the larger of 1 and the bound or
// right-hand side.
func (p Program) Check(point []float64, tolerance float64) error {
	if len(point) != len(p.Variables) {
		return fmt.Errorf("check point: %d values for %d variables", len(point), len(p.Variables))
	}
	for i, v := range p.Variables {
		x := point[i]
		switch {
		case !finite(x):
			return fmt.Errorf("check point: %s is %g", v.Name, x)
		case beyond(v.Lower, x, tolerance):
			return fmt.Errorf("check point: %s is %g, below %g", v.Name, x, v.Lower)
		case beyond(x, v.Upper, tolerance):
			return fmt.Errorf("check point: %s is %g, above %g", v.Name, x, v.Upper)
		case v.Integer && math.Abs(x-math.Round(x)) > tolerance:
			return fmt.Errorf("check point: %s is %g, no whole number", v.Name, x)
		}
	}
	for _, r := range p.Rows {
		left := 0.0
		for t, i := range r.Variables {
			left += r.Coefficients[t] * point[i]
		}
		if r.Sense != AtLeast && beyond(left, r.RHS, tolerance) || r.Sense != AtMost && beyond(r.RHS, left, tolerance) {
			return fmt.Errorf("check point: row %s has %g, want %s %g", r.Name, left, r.Sense, r.RHS)
		}
	}
	return nil
}

// beyond reports whether a is larger than b by more than the tolerance.
func beyond(a, b, tolerance float64) bool {
	if math.IsInf(a, -1) || math.IsInf(b, 1) {
		return false
	}
	return a-b > tolerance*max(1, math.Min(math.Abs(a), math.Abs(b)))
}
