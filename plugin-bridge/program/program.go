package program

import (
	"errors"
	"fmt"
	"math"
)

// Program is
//
//	maximise or minimise  sum_i Objective_i x_i
//	subject to            sum_i Coefficients_ri x_i  Sense_r  RHS_r  for each row r
//	                      Lower_i <= x_i <= Upper_i, x_i whole where Integer_i
type Program struct {
	Name string
	// Maximise is false for a minimum.
	Maximise  bool
	Variables []Variable
	Rows      []Row
}

// Variable is one column.
type Variable struct {
	Name string
	// Lower and Upper may be infinite.
	Lower, Upper float64
	Integer      bool
	// Objective is the coefficient in the objective.
	Objective float64
}

// Row is one constraint.
type Row struct {
	// Name starts with the equation that the row is from, where it has one.
	Name string
	// Variables are ascending indices of Program.Variables; Coefficients, none
	// of them 0, belong to them.
	Variables    []int
	Coefficients []float64
	Sense        Sense
	RHS          float64
}

// Sense relates the two sides of a row.
type Sense string

// The senses.
const (
	AtMost  Sense = "<="
	AtLeast Sense = ">="
	Equal   Sense = "="
)

// NonZeros is the number of terms over all rows.
func (p Program) NonZeros() int {
	n := 0
	for _, r := range p.Rows {
		n += len(r.Variables)
	}
	return n
}

// Validate returns an error that names every fault of the program.
func (p Program) Validate() error {
	var faults []error
	if p.Name != "" {
		faults = append(faults, checkName(p.Name))
	}
	seen := make(map[string]bool, len(p.Variables))
	for i, v := range p.Variables {
		if err := v.check(seen); err != nil {
			faults = append(faults, fmt.Errorf("variable %d: %w", i, err))
		}
	}
	seen = make(map[string]bool, len(p.Rows))
	for i, r := range p.Rows {
		if err := r.check(len(p.Variables), seen); err != nil {
			faults = append(faults, fmt.Errorf("row %d: %w", i, err))
		}
	}
	return errors.Join(faults...)
}

// check returns the first fault of a variable. seen holds the names so far.
func (v Variable) check(seen map[string]bool) error {
	if err := fresh(v.Name, seen); err != nil {
		return err
	}
	switch {
	case math.IsNaN(v.Lower) || math.IsInf(v.Lower, 1):
		return fmt.Errorf("field lower: %g is not allowed, want a number or no bound", v.Lower)
	case math.IsNaN(v.Upper) || math.IsInf(v.Upper, -1):
		return fmt.Errorf("field upper: %g is not allowed, want a number or no bound", v.Upper)
	case v.Lower > v.Upper:
		return fmt.Errorf("field upper: %g of %s is below its lower bound %g", v.Upper, v.Name, v.Lower)
	case !finite(v.Objective):
		return fmt.Errorf("field objective: %g is not allowed, want a finite number", v.Objective)
	}
	return nil
}

// check returns the first fault of a row of a program with that many variables.
func (r Row) check(variables int, seen map[string]bool) error {
	if err := fresh(r.Name, seen); err != nil {
		return err
	}
	if len(r.Variables) != len(r.Coefficients) {
		return fmt.Errorf("field coefficients: %d for %d variables", len(r.Coefficients), len(r.Variables))
	}
	for t, i := range r.Variables {
		switch {
		case i < 0 || i >= variables:
			return fmt.Errorf("field variables: %d is not allowed, want an index below %d", i, variables)
		case t > 0 && r.Variables[t-1] >= i:
			return fmt.Errorf("field variables: %d after %d, want ascending order", i, r.Variables[t-1])
		case r.Coefficients[t] == 0 || !finite(r.Coefficients[t]):
			return fmt.Errorf("field coefficients: %g is not allowed, want a finite number other than 0", r.Coefficients[t])
		}
	}
	if r.Sense != AtMost && r.Sense != AtLeast && r.Sense != Equal {
		return fmt.Errorf("field sense: %q is not allowed, want <=, >= or =", string(r.Sense))
	}
	if !finite(r.RHS) {
		return fmt.Errorf("field rhs: %g is not allowed, want a finite number", r.RHS)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
