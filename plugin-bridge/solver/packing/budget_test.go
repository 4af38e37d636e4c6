package packing

import (
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

func never() bool { return false }

// wide is a problem with one row of a huge bound that no coefficients sum up to, as
// of memory in bytes, and with coefficients that have no common divisor.
func wide() auction.Problem {
	p := auction.Problem{Rows: []auction.Constraint{{Kind: auction.MemoryRow, Of: "n1", Bound: 2_000_000_000}}}
	row := &p.Rows[0]
	for i := range 64 {
		p.Objective = append(p.Objective, float64(64-i))
		row.Columns, row.Coefficients = append(row.Columns, i), append(row.Coefficients, 100_000_001+1_000_003*i)
	}
	return p
}

// TestBoundsAreWork: loops up to the bound of a constraint end with the work that they may do, or after few steps
// more when they are stopped. What they leave undone keeps the constraint valid.
func TestBoundsAreWork(t *testing.T) {
	for _, c := range []struct {
		name    string
		left    int
		stopped bool
	}{{"work", 10_000, false}, {"stopped", 1 << 40, true}} {
		asked := 0
		loops := map[string]func(p auction.Problem, b *budget){
			"tighten": func(p auction.Problem, b *budget) {
				row := p.Rows[0]
				if tighten(&row, b); row.Bound != p.Rows[0].Bound {
					t.Errorf("%s: bound %d of %d", c.name, row.Bound, p.Rows[0].Bound)
				}
			},
			"division": func(p auction.Problem, b *budget) {
				x := make([]float64, len(p.Objective))
				_ = divisionCuts(p.Rows, x, 100, b)
			},
		}
		for name, loop := range loops {
			asked = 0
			b := budget{left: c.left, stop: func() bool { asked++; return c.stopped }}
			loop(wide(), &b)
			if b.left < 0 || b.left > c.left {
				t.Errorf("%s, %s: %d of the work %d is left", name, c.name, b.left, c.left)
			}
			if c.stopped && (asked != 1 || b.left != 0) {
				t.Errorf("%s: asked %d times whether to stop, %d of the work is left", name, asked, b.left)
			}
		}
	}
}

// TestSmallRowsAreTightened: a row for which the work does not suffice leaves it to
// the others.
func TestSmallRowsAreTightened(t *testing.T) {
	b := budget{left: 1000, stop: never}
	huge, small := wide().Rows[0], auction.Constraint{Columns: []int{0, 1}, Coefficients: []int{5, 7}, Bound: 13}
	tighten(&huge, &b)
	if tighten(&small, &b); small.Bound != 12 {
		t.Errorf("bound %d, want 12, the largest sum of 5 and 7 up to 13", small.Bound)
	}
}

// TestStopEndsTheWalk: even with a constraint of a huge bound, Solve ends after the step at which the deadline falls.
// It does not call the engine, which is nil here.
func TestStopEndsTheWalk(t *testing.T) {
	p := wide()
	stop := func() bool { return true }
	a, err := Solve(p, Known{Bound: 1e9}, nil, Limits{Stop: stop}, func(auction.Assignment) {})
	if err != nil || p.Check(a.Selected) != nil {
		t.Errorf("%v, %v", a, err)
	}
}
