//go:build highs && cgo

package highs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

func TestSolveProgram(t *testing.T) {
	free := program.Variable{Name: "x", Lower: math.Inf(-1), Upper: math.Inf(1), Objective: 1}
	unbounded := program.Program{Maximise: true, Variables: []program.Variable{free}}
	linear := program.Program{
		Variables: []program.Variable{free},
		Rows:      []program.Row{{Name: "r", Variables: []int{0}, Coefficients: []float64{2}, Sense: program.AtLeast, RHS: -3}},
	}
	none := pair()
	none.Rows = append(none.Rows, program.Row{Name: "s", Variables: []int{0, 1}, Coefficients: []float64{1, 1}, Sense: program.AtLeast, RHS: 2})
	tests := []struct {
		name    string
		program program.Program
		status  program.Status
		value   float64
	}{
		{"whole", pair(), program.StatusOptimal, 3},
		{"minimum", auctiontest.Minimised(pair()), program.StatusOptimal, -3},
		{"linear", linear, program.StatusOptimal, -1.5},
		{"unbounded", unbounded, program.StatusUnbounded, 0},
		{"infeasible", none, program.StatusInfeasible, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Engine{}.SolveProgram(tt.program, time.Minute, Guide{})
			if err != nil || got.Status != tt.status || math.Abs(got.Objective-tt.value) > 1e-9 {
				t.Fatalf("%+v, %v, want %s %g", got, err, tt.status, tt.value)
			}
			if tt.status == program.StatusOptimal && got.Gap() > 1e-9 {
				t.Errorf("gap %g", got.Gap())
			}
		})
	}
}

// TestProgramIncumbentSurvivesTheTimeLimit: a knapsack with 30 weights, of the kind
// and size (250 variables) that takes exact solvers hours, has points from the start.
func TestProgramIncumbentSurvivesTheTimeLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := program.Program{Maximise: true}
	for i := range 250 {
		p.Variables = append(p.Variables, program.Variable{Name: fmt.Sprintf("x%d", i), Upper: 1, Integer: true, Objective: float64(50 + r.IntN(50))})
	}
	for n := range 30 {
		row := program.Row{Name: fmt.Sprintf("r%d", n), Sense: program.AtMost, RHS: 6000}
		for i := range p.Variables {
			row.Variables = append(row.Variables, i)
			row.Coefficients = append(row.Coefficients, float64(1+r.IntN(100)))
		}
		p.Rows = append(p.Rows, row)
	}
	var told []float64
	guide := Guide{Improved: func(values []float64, bound float64) {
		if values == nil {
			return
		}
		if err := p.Check(values, program.Tolerance); err != nil {
			t.Error(err)
		}
		if value := p.Value(values); bound < value*(1-program.Tolerance) || len(told) > 0 && value <= told[len(told)-1] {
			t.Errorf("told of %g with bound %g after %v", value, bound, told)
		}
		told = append(told, p.Value(values))
	}}
	// A busy machine may leave HiGHS no time for a point within the first limits.
	var got program.Solution
	for limit := 500 * time.Millisecond; got.Values == nil && limit < time.Minute; limit *= 2 {
		var err error
		if got, err = (Engine{}).SolveProgram(p, limit, guide); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) == 0 || told[len(told)-1] != got.Objective {
		t.Errorf("told of %v before the last point of %g", told, got.Objective)
	}
	// HiGHS begins with what it is given.
	guide.Start, told = got.Values, nil
	again, err := Engine{}.SolveProgram(p, 500*time.Millisecond, guide)
	if err != nil || again.Objective < got.Objective {
		t.Errorf("from a point of %g: %g, %v", got.Objective, again.Objective, err)
	}
	if got.Status != program.StatusTimeLimit || got.Values == nil || got.Objective <= 0 || got.Bound <= got.Objective || math.IsInf(got.Bound, 0) {
		t.Errorf("%s, objective %g, bound %g: want a point and a bound above it", got.Status, got.Objective, got.Bound)
	}
	t.Logf("%s, objective %g, bound %g, gap %.4f", got.Status, got.Objective, got.Bound, got.Gap())
}
