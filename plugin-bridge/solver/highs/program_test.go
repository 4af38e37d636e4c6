package highs

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// pair is max 3a+2b, a+b <= 1, a and b in {0,1}.
func pair() program.Program {
	return program.Program{
		Maximise:  true,
		Variables: []program.Variable{{Name: "a", Upper: 1, Integer: true, Objective: 3}, {Name: "b", Upper: 1, Integer: true, Objective: 2}},
		Rows:      []program.Row{{Name: "r", Variables: []int{0, 1}, Coefficients: []float64{1, 1}, Sense: program.AtMost, RHS: 1}},
	}
}

// TestProgramsThatDoNotReachHiGHS: lanl/highs panics on programs without
// variables, and rows without terms would shift its matrix.
func TestProgramsThatDoNotReachHiGHS(t *testing.T) {
	row := func(sense program.Sense, rhs float64) program.Program {
		return program.Program{Rows: []program.Row{{Name: "r", Sense: sense, RHS: rhs}}}
	}
	tests := []struct {
		program program.Program
		want    program.Status
	}{
		{program.Program{}, program.StatusOptimal},
		{row(program.AtMost, 1), program.StatusOptimal},
		{row(program.AtLeast, 1), program.StatusInfeasible},
		{row(program.AtMost, -1), program.StatusInfeasible},
		{row(program.AtLeast, -1), program.StatusOptimal},
		{row(program.Equal, 0), program.StatusOptimal},
		{row(program.Equal, 1), program.StatusInfeasible},
		{row(program.Equal, -1), program.StatusInfeasible},
	}
	for _, tt := range tests {
		got, err := Engine{}.SolveProgram(tt.program, time.Minute, Guide{})
		if err != nil || got.Status != tt.want || (got.Values != nil) != (tt.want == program.StatusOptimal) {
			t.Errorf("%+v: %+v, %v, want %s", tt.program.Rows, got, err, tt.want)
		}
	}
}

// TestProgramOutcome: what is made of what HiGHS says.
func TestProgramOutcome(t *testing.T) {
	infinite := math.Inf(1)
	tests := []struct {
		name    string
		outcome programOutcome
		want    program.Solution
		fault   string
	}{
		{"optimal, nearly whole", programOutcome{statusOptimal, []float64{0.9999999, 1e-9}, 3},
			program.Solution{Status: program.StatusOptimal, Values: []float64{1, 0}, Objective: 3, Bound: 3}, ""},
		{"a bound that tolerances made too low", programOutcome{statusOptimal, []float64{1, 0}, 2.9999999},
			program.Solution{Status: program.StatusOptimal, Values: []float64{1, 0}, Objective: 3, Bound: 3}, ""},
		{"a bound that rounding made too high", programOutcome{statusOptimal, []float64{1, 0}, math.Nextafter(3, 4)},
			program.Solution{Status: program.StatusOptimal, Values: []float64{1, 0}, Objective: 3, Bound: 3}, ""},
		{"time limit with a point", programOutcome{statusTimeLimit, []float64{0, 1}, 3.5},
			program.Solution{Status: program.StatusTimeLimit, Values: []float64{0, 1}, Objective: 2, Bound: 3.5}, ""},
		{"time limit without", programOutcome{statusTimeLimit, nil, infinite}, program.Solution{Status: program.StatusTimeLimit, Bound: infinite}, ""},
		{"infeasible", programOutcome{statusInfeasible, nil, 0}, program.Solution{Status: program.StatusInfeasible, Bound: infinite}, ""},
		{"unbounded", programOutcome{statusUnboundedOrInfeasible, nil, 0}, program.Solution{Status: program.StatusUnbounded, Bound: infinite}, ""},
		{"a point that is none", programOutcome{statusOptimal, []float64{1, 1}, 5}, program.Solution{}, "HiGHS's point is not feasible: check point: row r has 2, want <= 1"},
		{"an optimum without a point", programOutcome{statusOptimal, nil, 3}, program.Solution{}, "HiGHS has an optimum but no point"},
		{"another status", programOutcome{4, nil, 3}, program.Solution{}, "HiGHS ended with model status 4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.outcome.solution(pair(), infinite)
			if tt.fault != "" {
				if err == nil || !strings.HasSuffix(err.Error(), tt.fault) {
					t.Errorf("error %v, want %s", err, tt.fault)
				}
				return
			}
			if err != nil || got.Status != tt.want.Status || got.Objective != tt.want.Objective || got.Bound != tt.want.Bound ||
				(got.Values == nil) != (tt.want.Values == nil) {
				t.Errorf("%+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}
