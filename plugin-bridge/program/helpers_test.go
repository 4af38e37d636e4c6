package program_test

import (
	"fmt"
	"math"
	"reflect"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// drawNumber favours small whole numbers, and is never 0 with a sign, which no
// format keeps apart from 0.
func drawNumber(t *rapid.T, label string) float64 {
	if rapid.Bool().Draw(t, label+" whole") {
		return float64(rapid.IntRange(-20, 20).Draw(t, label))
	}
	return rapid.Float64Range(-1e12, 1e12).Draw(t, label) + 0
}

func drawName(t *rapid.T, label string, seen map[string]bool) string {
	return rapid.StringMatching(`[!#-&(-)+-~][!#-&(-~]{0,12}`).Filter(func(s string) bool {
		return (program.Program{Name: s}).Validate() == nil && s != "" && !seen[s]
	}).Draw(t, label)
}

func drawProgram(t *rapid.T) program.Program {
	p := program.Program{Maximise: rapid.Bool().Draw(t, "maximise"), Name: drawName(t, "name", nil)}
	names := map[string]bool{}
	for i := range rapid.IntRange(0, 8).Draw(t, "variables") {
		v := program.Variable{
			Name: drawName(t, fmt.Sprintf("variable %d", i), names), Integer: rapid.Bool().Draw(t, "integer"),
			Objective: drawNumber(t, "objective"),
		}
		names[v.Name] = true
		a, b := drawNumber(t, "bound"), drawNumber(t, "bound")
		v.Lower, v.Upper = math.Min(a, b), math.Max(a, b)
		if rapid.IntRange(0, 3).Draw(t, "no lower bound") == 0 {
			v.Lower = math.Inf(-1)
		}
		if rapid.IntRange(0, 3).Draw(t, "no upper bound") == 0 {
			v.Upper = math.Inf(1)
		}
		p.Variables = append(p.Variables, v)
	}
	names = map[string]bool{}
	for r := range rapid.IntRange(0, 8).Draw(t, "rows") {
		row := program.Row{
			Name:  drawName(t, fmt.Sprintf("row %d", r), names),
			Sense: rapid.SampledFrom([]program.Sense{program.AtMost, program.AtLeast, program.Equal}).Draw(t, "sense"),
			RHS:   drawNumber(t, "rhs"),
		}
		names[row.Name] = true
		for i := range p.Variables {
			if c := drawNumber(t, "coefficient"); c != 0 && rapid.Bool().Draw(t, "in") {
				row.Variables = append(row.Variables, i)
				row.Coefficients = append(row.Coefficients, c)
			}
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

func equal(t interface{ Fatalf(string, ...any) }, got, want program.Program) {
	if g, w := plain(got), plain(want); !reflect.DeepEqual(g, w) {
		t.Fatalf("got\n%+v\nwant\n%+v", g, w)
	}
}

// plain makes empty slices alike.
func plain(p program.Program) program.Program {
	rows := make([]program.Row, len(p.Rows))
	for i, r := range p.Rows {
		r.Variables = append([]int{}, r.Variables...)
		r.Coefficients = append([]float64{}, r.Coefficients...)
		rows[i] = r
	}
	p.Rows, p.Variables = rows, append([]program.Variable{}, p.Variables...)
	return p
}
