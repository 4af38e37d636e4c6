package packing

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
)

// drawCourse draws a course and prices for the rows of a model.
func drawCourse(t *rapid.T, m *model) ([]float64, course) {
	lambda := make([]float64, m.rows())
	for r := range lambda {
		lambda[r] = rapid.Float64Range(0, 1).Draw(t, "price")
	}
	return lambda, course{
		width: rapid.IntRange(1, 40).Draw(t, "width"), markup: rapid.Float64Range(0.5, 2).Draw(t, "markup"),
		noise: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "noise"), seed: rapid.Uint64().Draw(t, "seed"),
	}
}

// TestBeamIsFeasible: a beam finds selections of the program, the same ones each time, and none
// better than the optimum.
func TestBeamIsFeasible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		m := newSubproblem(p).model()
		lambda, by := drawCourse(t, m)
		b := newBeam(m, lambda)
		found, _ := b.search(by, never)
		selected := make([]int, len(found))
		for at, i := range found {
			selected[at] = int(i)
		}
		if err := p.Check(selected); err != nil {
			t.Fatal(err)
		}
		if value, best := p.Value(selected), optimum(t, p); value > best+1e-9 {
			t.Fatalf("%v is worth %g, the optimum is %g", selected, value, best)
		}
		if again, _ := b.search(by, never); !slices.Equal(again, found) {
			t.Fatalf("%v, then %v", found, again)
		}
	})
}

// TestWideBeamIsExact: where each column is a group of its own, a beam that cuts no state finds the optimum, whatever
// the prices. Of two states that leave the same room, the one of larger value stays.
func TestWideBeamIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 10)
		p.Rows = slices.DeleteFunc(p.Rows, func(r auction.Constraint) bool { return r.Kind == auction.JobRow })
		m := newSubproblem(p).model()
		lambda, by := drawCourse(t, m)
		by.width, by.noise = 1<<10, 0
		found, _ := newBeam(m, lambda).search(by, never)
		value := 0.0
		for _, i := range found {
			value += m.value[i]
		}
		if best := optimum(t, p); math.Abs(value-best) > 1e-9 {
			t.Fatalf("%v is worth %g, the optimum is %g\n%v", found, value, best, p)
		}
	})
}

func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 20), func(i int) float64 { return float64(i) }), 1, 50).Draw(t, "values")
		sorted := slices.Sorted(slices.Values(values))
		k := rapid.IntRange(1, len(values)).Draw(t, "k")
		if got, want := largest(values, k), sorted[len(sorted)-k]; got != want {
			t.Fatalf("the largest but %d is %g, want %g", k-1, got, want)
		}
	})
}

// TestHuntFindsMore: on the recorded idle machines a hunt of seven turns finds more than
// annealing does with the work of ten turns, over all programs, and on each at most 3 % less.
func TestHuntFindsMore(t *testing.T) {
	states, err := auctiontest.States()
	if err != nil {
		t.Fatal(err)
	}
	sum, programs := 0.0, 0
	for _, s := range states {
		if s.Busy() >= 0.1 {
			continue
		}
		for _, o := range []auction.Objective{auction.ObjectivePriority, auction.ObjectiveValue} {
			p, err := s.Problem(15, o)
			if err != nil {
				t.Fatal(err)
			}
			m := newSubproblem(p).model()
			allowed := m.fitting()
			first, _ := improve(m, allowed, schedule{heat: hot, work: 150_000}, math.Inf(1), never)
			d, _ := subgradient(m, make([]float64, m.rows()), p.Value(first), 300, never)
			h := newHunt(m, allowed, d, p.Value(first), 0, never)
			best := first
			for range 7 {
				if selected, _ := h.next(best); p.Value(selected) > p.Value(best) {
					best = selected
				}
			}
			annealed, _ := m.improveAmong(h.near, schedule{start: first, heat: hot, work: 10 * annealWork}, d.bound, never)
			gain := p.Value(best)/p.Value(annealed) - 1
			t.Logf("%s %s: %.2f %% more", s.Run, o, 100*gain)
			if gain < -0.03 {
				t.Errorf("%s %s: a hunt finds %g, annealing %g", s.Run, o, p.Value(best), p.Value(annealed))
			}
			sum += gain
			programs++
		}
	}
	if programs != 8 || sum <= 0 {
		t.Errorf("over %d programs a hunt finds %.2f %% more than annealing, want more over 8", programs, 100*sum/float64(programs))
	}
}

// TestNearest: the nearest columns are at most as far below the best of their groups as those
// left out.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newSubproblem(drawProblem(t, 14)).model()
		lambda, _ := drawCourse(t, m)
		d := newDual(m, lambda)
		most := rapid.IntRange(0, 14).Draw(t, "most")
		all := m.fitting()
		kept := d.nearest(m, all, most)
		if len(kept) != min(most, len(all)) || !slices.IsSorted(kept) {
			t.Fatalf("%v of %v, want %d", kept, all, most)
		}
		for _, i := range kept {
			for _, j := range all {
				if !slices.Contains(kept, j) && d.distance(m, j) < d.distance(m, i) {
					t.Fatalf("%v has column %d, and column %d is nearer", kept, i, j)
				}
			}
		}
	})
}
