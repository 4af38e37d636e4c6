package program_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*program.Program)
		want  string
	}{
		{"no fault", func(*program.Program) {}, ""},
		{"space in a name", func(p *program.Program) { p.Variables[1].Name = "b 1" },
			`variable 1: field name: "b 1" has the character ' ', want printable ASCII without spaces and quotation marks`},
		{"comment", func(p *program.Program) { p.Rows[0].Name = "*" }, `row 0: field name: "*" starts like a comment of MPS, want another first character than * and $`},
		{"long name", func(p *program.Program) { p.Name = strings.Repeat("x", 256) }, "has 256 characters, want at most 255"},
		{"no number", func(p *program.Program) { p.Variables[0].Objective = math.NaN() }, "variable 0: field objective: NaN is not allowed, want a finite number"},
		{"bound", func(p *program.Program) { p.Variables[0].Lower = math.Inf(1) }, "variable 0: field lower: +Inf is not allowed, want a number or no bound"},
		{"zero", func(p *program.Program) { p.Rows[0].Coefficients[0] = 0 }, "row 0: field coefficients: 0 is not allowed, want a finite number other than 0"},
		{"order", func(p *program.Program) { p.Rows[0].Variables[1] = 0 }, "row 0: field variables: 0 after 0, want ascending order"},
		{"sense", func(p *program.Program) { p.Rows[0].Sense = "<" }, `row 0: field sense: "<" is not allowed, want <=, >= or =`},
		{"lengths", func(p *program.Program) { p.Rows[0].Coefficients = nil }, "row 0: field coefficients: 0 for 3 variables"},
		{"rhs", func(p *program.Program) { p.Rows[0].RHS = math.Inf(1) }, "row 0: field rhs: +Inf is not allowed, want a finite number"},
		{"two faults", func(p *program.Program) { p.Rows[0].Sense, p.Variables[2].Name = "", "" },
			"variable 2: field name: \"\" is not allowed, want a name\nrow 0: field sense: \"\" is not allowed, want <=, >= or ="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := auctiontest.Knapsack()
			tt.spoil(&p)
			err := p.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	p := auctiontest.Knapsack()
	p.Rows = append(p.Rows, program.Row{Name: "least", Variables: []int{2}, Coefficients: []float64{1}, Sense: program.AtLeast, RHS: 0},
		program.Row{Name: "same", Variables: []int{0, 1}, Coefficients: []float64{1, -1}, Sense: program.Equal, RHS: 0})
	tests := []struct {
		point []float64
		want  string
	}{
		{[]float64{1, 1, 0}, ""},
		{[]float64{1, 1, 1e-8}, ""},
		{[]float64{1, 1, 1}, "row (1) has 6, want <= 5"},
		{[]float64{1, 0, 0}, "row same has 1, want = 0"},
		{[]float64{0, 1, 0}, "row same has -1, want = 0"},
		{[]float64{0, 0, -1}, "c is -1, below 0"},
		{[]float64{0, 0, 2}, "c is 2, above 1"},
		{[]float64{0, 0, 0.5}, "c is 0.5, no whole number"},
		{[]float64{0, 0, math.NaN()}, "c is NaN"},
		{[]float64{0, 0}, "2 values for 3 variables"},
	}
	for _, tt := range tests {
		err := p.Check(tt.point, program.Tolerance)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != "check point: "+tt.want {
			t.Errorf("%v: got %v, want %s", tt.point, err, tt.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	p := auctiontest.Knapsack()
	tests := []struct {
		solution program.Solution
		want     string
	}{
		{program.Solution{Status: program.StatusTimeLimit, Values: []float64{1, 0, 1}, Objective: 8, Bound: 10},
			`{"status":"time_limit","objective":8,"bound":10,"gap":0.25,"seconds":1.5,"variables":[{"name":"a","value":1},{"name":"c","value":1}]}`},
		{program.Solution{Status: program.StatusTimeLimit, Bound: math.Inf(1)}, `{"status":"time_limit","objective":null,"bound":null,"gap":null,"seconds":1.5,"variables":[]}`},
		{program.Solution{Status: program.StatusTimeLimit, Values: []float64{0, 0, 0}, Bound: 9},
			`{"status":"time_limit","objective":0,"bound":9,"gap":null,"seconds":1.5,"variables":[]}`},
		{program.Solution{Status: program.StatusInfeasible}, `{"status":"infeasible","objective":null,"bound":null,"gap":null,"seconds":1.5,"variables":[]}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(program.NewAnswer(p, tt.solution, 1500*time.Millisecond))
		if err != nil || string(got) != tt.want {
			t.Errorf("got %s %v\nwant %s", got, err, tt.want)
		}
	}
}
