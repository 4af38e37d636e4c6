package solver

import (
	"bytes"
	"encoding/gob"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// carry sends a matrix the way that requests go.
func carry(t *testing.T, m matrix) matrix {
	t.Helper()
	var pipe bytes.Buffer
	if err := gob.NewEncoder(&pipe).Encode(request{Program: m}); err != nil {
		t.Fatal(err)
	}
	var q request
	if err := gob.NewDecoder(&pipe).Decode(&q); err != nil {
		t.Fatal(err)
	}
	return q.Program
}

// TestTheWireKeepsPrograms: the worker solves what its owner was asked for, but for
// names.
func TestTheWireKeepsPrograms(t *testing.T) {
	p := program.Program{
		Variables: []program.Variable{
			{Name: "x0", Lower: math.Inf(-1), Upper: math.Inf(1), Objective: 0.1},
			{Name: "x1", Lower: -2.5, Upper: 3, Integer: true},
		},
		Rows: []program.Row{
			{Name: "r0", Variables: []int{0, 1}, Coefficients: []float64{1, -0.3}, Sense: program.AtLeast, RHS: -7},
			{Name: "r1", Variables: []int{}, Coefficients: []float64{}, Sense: program.Equal},
			{Name: "r2", Variables: []int{1}, Coefficients: []float64{1e-9}, Sense: program.AtMost, RHS: 1e9},
		},
	}
	for _, p.Maximise = range []bool{false, true} {
		if got := carry(t, flatten(p)).program(); !reflect.DeepEqual(got, p) {
			t.Errorf("got %+v\nwant %+v", got, p)
		}
	}
	if got := carry(t, flatten(program.Program{})).program(); len(got.Variables)+len(got.Rows) > 0 {
		t.Errorf("got %+v", got)
	}
	for _, want := range []auction.Problem{{Objective: []float64{1, 0.5}, Rows: []auction.Constraint{}, Enough: 0.01}, hard()} {
		got := carry(t, flattenAuction(want)).auction()
		for r := range want.Rows {
			// The owner keeps what a row is about.
			want.Rows[r].Of = ""
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
}

// TestOneProcessSolvesBoth: auctions and other programs take turns.
func TestOneProcessSolvesBoth(t *testing.T) {
	s := newProcess(t, "good", time.Minute)
	first := pid(s)
	for range 2 {
		if a, err := s.Solve(t.Context(), hard()); err != nil || a.Status != program.StatusOptimal || a.Objective != 6 {
			t.Errorf("%v, %v", a, err)
		}
		if found, err := s.SolveProgram(t.Context(), knapsack(), nil, time.Minute); err != nil || found.Objective != 4 {
			t.Errorf("%+v, %v", found, err)
		}
	}
	if pid(s) != first {
		t.Error("the process was exchanged")
	}
}

// TestTheLimitIsTheCallers: there is no default.
func TestTheLimitIsTheCallers(t *testing.T) {
	if _, err := New(Options{Start: func() (Worker, error) { return nil, nil }}); err == nil {
		t.Error("a solver without a time limit")
	}
}
