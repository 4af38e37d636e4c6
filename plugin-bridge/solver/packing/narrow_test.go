package packing

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// TestNarrowKeepsTheSelections: a selection of some columns is feasible in the narrow model if and only if it is in
// the whole program. Two columns are in conflict if and only if they cannot both be selected. What a column costs
// stays.
func TestNarrowKeepsTheSelections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newSubproblem(drawProblem(t, 12))
		q = q.restrict(q.model().fitting())
		p, _ := q.relaxed()
		var columns []int32
		for i := range p.Objective {
			if rapid.Bool().Draw(t, "kept") {
				columns = append(columns, int32(i))
			}
		}
		prices := rapid.SliceOfN(rapid.Float64Range(0, 9), len(q.rows), len(q.rows)).Draw(t, "prices")
		m := q.model()
		n, merged := m.narrow(columns, prices)
		if n.rows() > len(q.rows) || n.columns() != len(columns) {
			t.Fatalf("%d columns on %d rows of %d on %d", n.columns(), n.rows(), len(columns), len(q.rows))
		}
		for k, i := range columns {
			if got, want := loadOf(n, int32(k), merged), loadOf(m, i, prices); math.Abs(got-want) > 1e-9 {
				t.Fatalf("column %d costs %g, want %g", i, got, want)
			}
		}
		narrow := auction.Problem{Objective: n.value}
		for r, bound := range n.bound {
			row := auction.Constraint{Bound: int(bound)}
			for k := range columns {
				if a := n.stretches.at(int32(k), int32(r)); a > 0 {
					row.Columns, row.Coefficients = append(row.Columns, k), append(row.Coefficients, int(a))
				}
			}
			narrow.Rows = append(narrow.Rows, row)
		}
		graph := newConflicts(n)
		eachSubset(narrow, func(selected []int) {
			there := make([]int, len(selected))
			groups := make(map[int32]bool)
			for at, k := range selected {
				there[at] = int(columns[k])
				groups[n.group[k]] = true
			}
			feasible := narrow.Check(selected) == nil && len(groups) == len(selected)
			if feasible != (p.Check(there) == nil) {
				t.Fatalf("%v is feasible in the narrow model: %v\n%v", there, feasible, p)
			}
			if len(selected) == 2 && feasible == graph[selected[0]].has(int32(selected[1])) {
				t.Fatalf("%v: feasible %v, in conflict as well\n%v", there, feasible, p)
			}
		})
	})
}

// loadOf is the price of what a column takes.
func loadOf(m *model, i int32, prices []float64) float64 {
	sum := 0.0
	for r, price := range prices {
		sum += price * float64(m.stretches.at(i, int32(r)))
	}
	return sum
}
