package program

import (
	"math"
	"time"
)

// Solution is what a solver found.
type Solution struct {
	Status Status
	// Cause says why the solver's process was abandoned; empty otherwise.
	Cause string
	// Values are one for each variable, nil if no point was found.
	Values []float64
	// Objective is the value of Values. Bound is proven: no point is better;
	// it is infinite if nothing is proven.
	Objective, Bound float64
}

// Gap is |Bound-Objective| / |Objective|, 0 if both are equal and -1 where that
// is no number.
func (s Solution) Gap() float64 {
	switch {
	case s.Values == nil:
		return -1
	case s.Objective == s.Bound:
		return 0
	case s.Objective == 0 || math.IsInf(s.Bound, 0):
		return -1
	default:
		return math.Abs(s.Bound-s.Objective) / math.Abs(s.Objective)
	}
}

// Answer is a solution as JSON. Numbers that do not exist are null.
type Answer struct {
	Status    Status   `json:"status"`
	Objective *float64 `json:"objective"`
	Bound     *float64 `json:"bound"`
	Gap       *float64 `json:"gap"`
	// Seconds is the real time that the solver took.
	Seconds float64 `json:"seconds"`
	// Variables are those that are not 0, in the program's order.
	Variables []NamedValue `json:"variables"`
}

// NamedValue is a variable and its value.
type NamedValue struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// NewAnswer describes a solution of p.
func NewAnswer(p Program, s Solution, took time.Duration) Answer {
	a := Answer{Status: s.Status, Seconds: took.Seconds(), Variables: []NamedValue{}}
	if finite(s.Bound) && s.Status != StatusInfeasible {
		a.Bound = &s.Bound
	}
	if s.Values == nil {
		return a
	}
	a.Objective = &s.Objective
	if gap := s.Gap(); gap >= 0 {
		a.Gap = &gap
	}
	for i, v := range p.Variables {
		if s.Values[i] != 0 {
			a.Variables = append(a.Variables, NamedValue{v.Name, s.Values[i]})
		}
	}
	return a
}
