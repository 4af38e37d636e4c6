package packing

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// TestLanes: what fits in lanes fits in the constraints. What fits in constraints whose bounds are no larger than a
// lane's numbers fits in lanes. So does a column on all that a machine has, however large its constraints are.
func TestLanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coarse := rapid.Bool().Draw(t, "coarse")
		bound := rapid.IntRange(1, 64)
		if coarse {
			bound = rapid.IntRange(1, 1_000_000)
		}
		p := auction.Problem{Objective: make([]float64, rapid.IntRange(1, 8).Draw(t, "columns"))}
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			row := auction.Constraint{Kind: auction.CoresRow, Bound: bound.Draw(t, "bound")}
			for i := range p.Objective {
				if rapid.Bool().Draw(t, "in") {
					row.Columns = append(row.Columns, i)
					row.Coefficients = append(row.Coefficients, rapid.OneOf(rapid.Just(row.Bound), rapid.IntRange(1, row.Bound)).Draw(t, "amount"))
				}
			}
			if len(row.Columns) > 0 {
				p.Rows = append(p.Rows, row)
			}
		}
		m := newModel(p.Objective, p.Groups(), p.Rows)
		all := m.fitting()
		l := newLanes(m, all)
		slack, left := slices.Clone(m.bound), slices.Clone(l.bound)
		for _, i := range all {
			if !fits(l.spans(i), l.bound) {
				t.Fatalf("column %d does not fit alone", i)
			}
			in, inLanes := m.blocker(i, slack) == nowhere, fits(l.spans(i), left)
			if inLanes && !in || in && !inLanes && !coarse {
				t.Fatalf("column %d: fits %t, in lanes %t\n%v", i, in, inLanes, p)
			}
			if inLanes {
				m.take(i, slack, 1)
				take(l.spans(i), left)
			}
			for r, s := range slack {
				if exact := l.unit[r] == 1; exact && l.lane(left, int32(r)) != s || l.lane(left, int32(r))*l.unit[r] > s {
					t.Fatalf("row %d has %d left, in lanes %d of %d", r, s, l.lane(left, int32(r)), l.unit[r])
				}
			}
		}
	})
}
