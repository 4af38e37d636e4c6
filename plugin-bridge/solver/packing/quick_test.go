package packing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// drawProblem draws a packing program, with groups and without, in which
// columns need not fit alone.
func drawProblem(t *rapid.T, columns int) auction.Problem {
	var p auction.Problem
	n := rapid.IntRange(0, columns).Draw(t, "columns")
	for range n {
		p.Objective = append(p.Objective, float64(rapid.IntRange(1, 40).Draw(t, "objective"))/8)
	}
	for first := 0; first < n; {
		size := min(rapid.IntRange(1, 4).Draw(t, "group"), n-first)
		row := auction.Constraint{Kind: auction.JobRow, Bound: 1}
		for i := range size {
			row.Columns, row.Coefficients = append(row.Columns, first+i), append(row.Coefficients, 1)
		}
		if first += size; size > 1 {
			p.Rows = append(p.Rows, row)
		}
	}
	for r := range rapid.IntRange(0, 8).Draw(t, "rows") {
		row := auction.Constraint{Kind: auction.CoresRow, Of: fmt.Sprintf("n%d", r), Bound: rapid.IntRange(1, 12).Draw(t, "bound")}
		for i := range p.Objective {
			if rapid.Bool().Draw(t, "in") {
				row.Columns = append(row.Columns, i)
				row.Coefficients = append(row.Coefficients, rapid.IntRange(1, 12).Draw(t, "coefficient"))
			}
		}
		if len(row.Columns) > 0 {
			p.Rows = append(p.Rows, row)
		}
	}
	return p
}

func optimum(t *rapid.T, p auction.Problem) float64 {
	want, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return want.Objective
}

// honest fails if an assignment is infeasible or claims what is not so.
func honest(t *rapid.T, p auction.Problem, a auction.Assignment, best float64) {
	t.Helper()
	if err := p.Check(a.Selected); err != nil {
		t.Fatal(err)
	}
	if math.Abs(a.Objective-p.Value(a.Selected)) > 1e-9 || a.Bound < best-1e-9 || a.Objective > best+1e-9 {
		t.Fatalf("%v, the optimum is %g\n%v", a, best, p)
	}
	if a.Status == program.StatusOptimal && math.Abs(a.Objective-best) > 1e-9 {
		t.Fatalf("%v is not optimal, %g is\n%v", a, best, p)
	}
}

// TestQuickIsOptimal: small problems are solved and proven without HiGHS, also
// where the search is given no time to find the optimum by itself.
func TestQuickIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		limits := QuickLimits()
		limits.Search = rapid.SampledFrom([]int{0, 1000}).Draw(t, "search")
		limits.Steps = rapid.IntRange(0, 20).Draw(t, "steps")
		a := Quick(p, limits)
		honest(t, p, a, optimum(t, p))
		if a.Status != program.StatusOptimal {
			t.Fatalf("%v is not proven\n%v", a, p)
		}
		if again := Quick(p, limits); !slices.Equal(again.Selected, a.Selected) {
			t.Fatalf("%v, then %v", a, again)
		}
	})
}

// TestEnough: a search that need not go on to the proof ends within what it is allowed of the
// optimum and says so, whichever stage it ends in.
func TestEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		best := optimum(t, p)
		p.Enough = rapid.Float64Range(0, 0.5).Draw(t, "enough")
		limits := QuickLimits()
		limits.Search, limits.Steps = rapid.SampledFrom([]int{0, 1000}).Draw(t, "search"), rapid.IntRange(0, 20).Draw(t, "steps")
		a := Quick(p, limits)
		honest(t, p, a, best)
		if !a.Status.Done() || best > a.Objective*(1+p.Enough)+1e-9 {
			t.Fatalf("%v, the optimum is %g, enough %g\n%v", a, best, p.Enough, p)
		}
	})
}

// TestQuickOnAuctions: thousands of small auctions, preferences included, which
// differ by a small part of the priorities only. What is proven is optimal.
func TestQuickOnAuctions(t *testing.T) {
	proven := 0
	const auctions = 3000
	for seed := range uint64(auctions) {
		w := auctiontest.Window{
			Nodes: 24, Cores: 8, GPUs: 2, Jobs: 8, Sizes: auctiontest.Sizes(seed % 3), Utilisation: float64(seed%4) / 4, Seed: seed,
		}
		p := w.Problem(6)
		want, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		a := Quick(p, QuickLimits())
		if p.Check(a.Selected) != nil || a.Bound < want.Objective-1e-9 || a.Objective > want.Objective+1e-9 {
			t.Fatalf("seed %d: %v, want %v", seed, a, want)
		}
		if a.Status == program.StatusOptimal {
			proven++
			if math.Abs(a.Objective-want.Objective) > 1e-9 {
				t.Fatalf("seed %d: %v, want %v", seed, a, want)
			}
		}
	}
	if proven < auctions*9/10 {
		t.Errorf("%d of %d small auctions are proven without HiGHS", proven, auctions)
	}
	t.Logf("%d of %d small auctions are proven without HiGHS", proven, auctions)
}

// TestStoppedStagesAreHonest: whenever the deadline falls, the answer is
// feasible and its bound holds.
func TestStoppedStagesAreHonest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		left := rapid.IntRange(0, 60).Draw(t, "left")
		limits := Limits{Search: 2000, Branch: rapid.IntRange(0, 500).Draw(t, "branch"), Steps: 10}
		limits.Stop = func() bool { left--; return left < 0 }
		honest(t, p, Quick(p, limits), optimum(t, p))
	})
}

// TestDualBoundHoldsForAnyMultipliers, and what it fixes is in no better
// selection.
func TestDualBoundHoldsForAnyMultipliers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 12)
		m := newSubproblem(p).model()
		lambda := make([]float64, m.rows())
		for r := range lambda {
			lambda[r] = rapid.Float64Range(0, 3).Draw(t, "lambda")
		}
		best := optimum(t, p)
		d := newDual(m, lambda)
		if d.bound < best-1e-9 {
			t.Fatalf("bound %g, optimum %g\n%v", d.bound, best, p)
		}
		better, steps := subgradient(m, lambda, best, 30, func() bool { return false })
		if better.bound < best-1e-9 || better.bound > d.bound+1e-9 {
			t.Fatalf("bound %g becomes %g in %d steps, optimum %g\n%v", d.bound, better.bound, steps, best, p)
		}
		incumbent := rapid.Float64Range(0, 1).Draw(t, "incumbent") * best
		open := better.fix(m, incumbent)
		for bits := range 1 << m.columns() {
			var selected []int
			for i := range m.columns() {
				if bits>>i&1 == 1 {
					selected = append(selected, i)
				}
			}
			if p.Check(selected) != nil || p.Value(selected) <= incumbent+1e-9 {
				continue
			}
			for _, i := range selected {
				if !slices.Contains(open, int32(i)) {
					t.Fatalf("%v is worth %g > %g, but column %d was fixed\n%v", selected, p.Value(selected), incumbent, i, p)
				}
			}
		}
	})
}

// greedy adds what fits by falling value, the first of equal columns first.
func greedy(p auction.Problem, allowed []int32) []int {
	order := slices.Clone(allowed)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.Objective[b], p.Objective[a]) })
	selected := []int{}
	for _, i := range order {
		if with := slices.Sorted(slices.Values(append(slices.Clone(selected), int(i)))); p.Check(with) == nil {
			selected = with
		}
	}
	return selected
}

// TestSelectionStaysConsistent compares the incremental structure with the
// problem itself after random draws and undos.
func TestSelectionStaysConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		m := newSubproblem(p).model()
		allowed := m.fitting()
		seed := rapid.Uint64().Draw(t, "seed")
		s := newSearch(m, allowed, schedule{seed: seed})
		if want := greedy(p, allowed); !slices.Equal(s.columns(), want) {
			t.Fatalf("the start is %v, by falling value it is %v\n%v", s.columns(), want, p)
		}
		for range 30 {
			if len(allowed) == 0 {
				return
			}
			before := s.columns()
			least := s.value
			loss := rapid.SampledFrom([]float64{0, 1, math.Inf(1)}).Draw(t, "loss")
			switch drawn := s.draw(loss); {
			case s.value < least-loss-1e-9:
				t.Fatalf("a draw that may lose %g makes %g of %g", loss, s.value, least)
			case !drawn && !slices.Equal(before, s.columns()):
				t.Fatalf("a draw that was given up made %v of %v", s.columns(), before)
			case drawn && rapid.Bool().Draw(t, "undo"):
				s.undo()
				if !slices.Equal(before, s.columns()) {
					t.Fatalf("undo made %v of %v", s.columns(), before)
				}
			}
			selected := s.columns()
			if err := p.Check(selected); err != nil || math.Abs(p.Value(selected)-s.value) > 1e-9 {
				t.Fatalf("%v: value %g, %v", selected, s.value, err)
			}
			for _, i := range allowed {
				if s.selected(i) {
					continue
				}
				with := slices.Sorted(slices.Values(append(slices.Clone(selected), int(i))))
				if p.Check(with) == nil {
					t.Fatalf("%v has room for column %d\n%v", selected, i, p)
				}
			}
		}
	})
}
