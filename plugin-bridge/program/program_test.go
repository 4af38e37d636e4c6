package program

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Program)
		want  string
	}{
		{"no fault", func(*Program) {}, ""},
		{"space in a name", func(p *Program) { p.Variables[1].Name = "b 1" },
			`variable 1: field name: "b 1" has the character ' ', want printable ASCII without spaces and quotation marks`},
		{"comment", func(p *Program) { p.Rows[0].Name = "*" }, `row 0: field name: "*" starts like a comment of MPS, want another first character than * and $`},
		{"long name", func(p *Program) { p.Name = strings.Repeat("x", 256) }, "has 256 characters, want at most 255"},
		{"no number", func(p *Program) { p.Variables[0].Objective = math.NaN() }, "variable 0: field objective: NaN is not allowed, want a finite number"},
		{"bound", func(p *Program) { p.Variables[0].Lower = math.Inf(1) }, "variable 0: field lower: +Inf is not allowed, want a number or no bound"},
		{"zero", func(p *Program) { p.Rows[0].Coefficients[0] = 0 }, "row 0: field coefficients: 0 is not allowed, want a finite number other than 0"},
		{"order", func(p *Program) { p.Rows[0].Variables[1] = 0 }, "row 0: field variables: 0 after 0, want ascending order"},
		{"sense", func(p *Program) { p.Rows[0].Sense = "<" }, `row 0: field sense: "<" is not allowed, want <=, >= or =`},
		{"lengths", func(p *Program) { p.Rows[0].Coefficients = nil }, "row 0: field coefficients: 0 for 3 variables"},
		{"rhs", func(p *Program) { p.Rows[0].RHS = math.Inf(1) }, "row 0: field rhs: +Inf is not allowed, want a finite number"},
		{"two faults", func(p *Program) { p.Rows[0].Sense, p.Variables[2].Name = "", "" },
			"variable 2: field name: \"\" is not allowed, want a name\nrow 0: field sense: \"\" is not allowed, want <=, >= or ="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := knapsack()
			tt.spoil(&p)
			err := p.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	p := knapsack()
	p.Rows = append(p.Rows, Row{Name: "least", Variables: []int{2}, Coefficients: []float64{1}, Sense: AtLeast, RHS: 0},
		Row{Name: "same", Variables: []int{0, 1}, Coefficients: []float64{1, -1}, Sense: Equal, RHS: 0})
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
		err := p.Check(tt.point, Tolerance)
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != "check point: "+tt.want {
			t.Errorf("%v: got %v, want %s", tt.point, err, tt.want)
		}
	}
}

// TestExhaustive compares the search with all points there are.
func TestExhaustive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := Program{Maximise: rapid.Bool().Draw(rt, "maximise")}
		names := "abcde"
		for i := range rapid.IntRange(1, 5).Draw(rt, "variables") {
			lower := rapid.IntRange(-2, 1).Draw(rt, "lower")
			p.Variables = append(p.Variables, Variable{
				Name: names[i : i+1], Integer: true, Lower: float64(lower), Upper: float64(lower + rapid.IntRange(0, 3).Draw(rt, "width")),
				Objective: float64(rapid.IntRange(-5, 5).Draw(rt, "objective")),
			})
		}
		for r := range rapid.IntRange(0, 4).Draw(rt, "rows") {
			row := Row{Name: names[r : r+1], RHS: float64(rapid.IntRange(-6, 6).Draw(rt, "rhs")),
				Sense: rapid.SampledFrom([]Sense{AtMost, AtLeast, Equal}).Draw(rt, "sense")}
			for i := range p.Variables {
				if c := rapid.IntRange(-3, 3).Draw(rt, "coefficient"); c != 0 {
					row.Variables, row.Coefficients = append(row.Variables, i), append(row.Coefficients, float64(c))
				}
			}
			p.Rows = append(p.Rows, row)
		}
		want, found := math.Inf(-1), false
		point := make([]float64, len(p.Variables))
		var visit func(i int)
		visit = func(i int) {
			if i == len(point) {
				if p.Check(point, 0) == nil {
					value := p.Value(point)
					if !p.Maximise {
						value = -value
					}
					want, found = math.Max(want, value), true
				}
				return
			}
			for x := p.Variables[i].Lower; x <= p.Variables[i].Upper; x++ {
				point[i] = x
				visit(i + 1)
			}
		}
		visit(0)
		got, err := Exhaustive{}.Solve(context.Background(), p)
		switch {
		case err != nil:
			rt.Fatal(err)
		case !found:
			if got.Status != StatusInfeasible || got.Values != nil {
				rt.Fatalf("%+v, want none", got)
			}
			return
		case p.Check(got.Values, 0) != nil:
			rt.Fatal(p.Check(got.Values, 0))
		}
		if !p.Maximise {
			want = -want
		}
		if got.Status != StatusOptimal || got.Objective != want || got.Bound != want {
			rt.Fatalf("%+v, want %g", got, want)
		}
	})
}

func TestExhaustiveRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	free := Program{Variables: []Variable{{Name: "x", Upper: math.Inf(1)}}}
	loose := Program{Variables: []Variable{{Name: "x", Upper: 1}}}
	tests := []struct {
		name    string
		ctx     context.Context
		solver  Exhaustive
		program Program
		want    string
	}{
		{"no bound", context.Background(), Exhaustive{}, free, "variable x is not bounded on both sides"},
		{"not whole", context.Background(), Exhaustive{}, loose, "variable x does not follow from the whole ones"},
		{"steps", context.Background(), Exhaustive{MaxSteps: 2}, knapsack(), "too many steps"},
		{"context", ended, Exhaustive{MaxSteps: 1025}, knapsack(), "context canceled"},
	}
	for _, tt := range tests {
		if _, err := tt.solver.Solve(tt.ctx, tt.program); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestMinimised(t *testing.T) {
	p := knapsack()
	m := p.Minimised()
	a, errA := Exhaustive{}.Solve(context.Background(), p)
	b, errB := Exhaustive{}.Solve(context.Background(), m)
	if errA != nil || errB != nil || a.Objective != 9 || b.Objective != -9 || m.Maximise || p.Variables[0].Objective != 5 {
		t.Errorf("%+v %v and %+v %v", a, errA, b, errB)
	}
}

func TestAnswer(t *testing.T) {
	p := knapsack()
	tests := []struct {
		solution Solution
		want     string
	}{
		{Solution{Status: StatusTimeLimit, Values: []float64{1, 0, 1}, Objective: 8, Bound: 10},
			`{"status":"time_limit","objective":8,"bound":10,"gap":0.25,"seconds":1.5,"variables":[{"name":"a","value":1},{"name":"c","value":1}]}`},
		{Solution{Status: StatusTimeLimit, Bound: math.Inf(1)}, `{"status":"time_limit","objective":null,"bound":null,"gap":null,"seconds":1.5,"variables":[]}`},
		{Solution{Status: StatusTimeLimit, Values: []float64{0, 0, 0}, Bound: 9},
			`{"status":"time_limit","objective":0,"bound":9,"gap":null,"seconds":1.5,"variables":[]}`},
		{Solution{Status: StatusInfeasible}, `{"status":"infeasible","objective":null,"bound":null,"gap":null,"seconds":1.5,"variables":[]}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(NewAnswer(p, tt.solution, 1500*time.Millisecond))
		if err != nil || string(got) != tt.want {
			t.Errorf("got %s %v\nwant %s", got, err, tt.want)
		}
	}
}
