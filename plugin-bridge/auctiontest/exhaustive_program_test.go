package auctiontest_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// TestExhaustiveProgram compares the search with all points there are.
func TestExhaustiveProgram(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := program.Program{Maximise: rapid.Bool().Draw(rt, "maximise")}
		names := "abcde"
		for i := range rapid.IntRange(1, 5).Draw(rt, "variables") {
			lower := rapid.IntRange(-2, 1).Draw(rt, "lower")
			p.Variables = append(p.Variables, program.Variable{
				Name: names[i : i+1], Integer: true, Lower: float64(lower), Upper: float64(lower + rapid.IntRange(0, 3).Draw(rt, "width")),
				Objective: float64(rapid.IntRange(-5, 5).Draw(rt, "objective")),
			})
		}
		for r := range rapid.IntRange(0, 4).Draw(rt, "rows") {
			row := program.Row{Name: names[r : r+1], RHS: float64(rapid.IntRange(-6, 6).Draw(rt, "rhs")),
				Sense: rapid.SampledFrom([]program.Sense{program.AtMost, program.AtLeast, program.Equal}).Draw(rt, "sense")}
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
		got, err := auctiontest.ExhaustiveProgram{}.Solve(context.Background(), p)
		switch {
		case err != nil:
			rt.Fatal(err)
		case !found:
			if got.Status != program.StatusInfeasible || got.Values != nil {
				rt.Fatalf("%+v, want none", got)
			}
			return
		case p.Check(got.Values, 0) != nil:
			rt.Fatal(p.Check(got.Values, 0))
		}
		if !p.Maximise {
			want = -want
		}
		if got.Status != program.StatusOptimal || got.Objective != want || got.Bound != want {
			rt.Fatalf("%+v, want %g", got, want)
		}
	})
}

func TestExhaustiveProgramRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	free := program.Program{Variables: []program.Variable{{Name: "x", Upper: math.Inf(1)}}}
	loose := program.Program{Variables: []program.Variable{{Name: "x", Upper: 1}}}
	tests := []struct {
		name    string
		ctx     context.Context
		solver  auctiontest.ExhaustiveProgram
		program program.Program
		want    string
	}{
		{"no bound", context.Background(), auctiontest.ExhaustiveProgram{}, free, "variable x is not bounded on both sides"},
		{"not whole", context.Background(), auctiontest.ExhaustiveProgram{}, loose, "variable x does not follow from the whole ones"},
		{"steps", context.Background(), auctiontest.ExhaustiveProgram{MaxSteps: 2}, auctiontest.Knapsack(), "too many steps"},
		{"context", ended, auctiontest.ExhaustiveProgram{MaxSteps: 1025}, auctiontest.Knapsack(), "context canceled"},
	}
	for _, tt := range tests {
		if _, err := tt.solver.Solve(tt.ctx, tt.program); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestMinimised(t *testing.T) {
	p := auctiontest.Knapsack()
	m := auctiontest.Minimised(p)
	a, errA := auctiontest.ExhaustiveProgram{}.Solve(context.Background(), p)
	b, errB := auctiontest.ExhaustiveProgram{}.Solve(context.Background(), m)
	if errA != nil || errB != nil || a.Objective != 9 || b.Objective != -9 || m.Maximise || p.Variables[0].Objective != 5 {
		t.Errorf("%+v %v and %+v %v", a, errA, b, errB)
	}
}
