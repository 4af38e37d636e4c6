package packing

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// TestEstimate: the bound by prefix sums is the bound, and what chosen columns
// leave of the rows is the rows' bounds less their amounts, for any program.
func TestEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		p := auction.Problem{Objective: make([]float64, columns)}
		for i := range p.Objective {
			p.Objective[i] = rapid.Float64Range(0.1, 100).Draw(t, "value")
		}
		for range rapid.IntRange(1, 12).Draw(t, "rows") {
			row := auction.Constraint{Bound: rapid.IntRange(1, 6).Draw(t, "bound")}
			for i := range columns {
				if a := rapid.IntRange(0, 3).Draw(t, "amount"); a > 0 {
					row.Columns, row.Coefficients = append(row.Columns, i), append(row.Coefficients, a)
				}
			}
			if len(row.Columns) > 0 {
				p.Rows = append(p.Rows, row)
			}
		}
		m := newModel(p.Objective, p.Groups(), p.Rows)
		lambda := make([]float64, m.rows())
		for r := range lambda {
			lambda[r] = rapid.Float64Range(0, 20).Draw(t, "lambda")
		}
		d := newDual(m, lambda)
		bound, room := d.bound, make([]float64, m.rows())
		d.estimate(m, make([]float64, m.rows()+1))
		if math.Abs(d.bound-bound) > 1e-9*bound {
			t.Fatalf("estimate %v, bound %v", d.bound, bound)
		}
		m.room(d.best, room)
		for r, row := range p.Rows {
			left := row.Bound
			for k, i := range row.Columns {
				if d.best[m.group[i]] == int32(i) {
					left -= row.Coefficients[k]
				}
			}
			if room[r] != float64(left) {
				t.Fatalf("row %d: %v left, want %d", r, room[r], left)
			}
		}
	})
}

// TestStretches: neighbouring rows with equal amounts are one stretch.
func TestStretches(t *testing.T) {
	m := newModel([]float64{1}, [][]int{{0}}, []auction.Constraint{
		{Columns: []int{0}, Coefficients: []int{2}, Bound: 3}, {Columns: []int{0}, Coefficients: []int{2}, Bound: 4},
		{Columns: []int{0}, Coefficients: []int{1}, Bound: 4},
	})
	if s := m.stretches.vector(0); len(s) != 2 || s[0] != (stretch{0, 2, 2}) || s[1] != (stretch{2, 3, 1}) {
		t.Error(s)
	}
}
