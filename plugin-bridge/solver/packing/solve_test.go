package packing

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// anything is an engine whose points and multipliers are arbitrary: what is
// made of them must be right all the same. Its branching is exact.
type anything struct {
	t *rapid.T
	// broken says which call fails, "" none.
	broken string
}

func (e *anything) Relax(p auction.Problem, _ time.Duration, _ func() bool) (Relaxation, error) {
	if e.broken == "relax" {
		return nil, errors.New("no memory")
	}
	return &anyPoint{e, p}, nil
}

func (e *anything) Branch(p auction.Problem, start []int, _ BranchLimits, watch func(Branched) bool) (Branched, error) {
	switch {
	case e.broken == "branch":
		return Branched{}, errors.New("no memory")
	case p.Check(start) != nil:
		e.t.Fatalf("start %v: %v", start, p.Check(start))
	case rapid.Bool().Draw(e.t, "in time"):
		a, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		return Branched{Selected: a.Selected, Bound: a.Bound, Optimal: true}, err
	}
	watch(Branched{Selected: start, Bound: math.Inf(1)})
	return Branched{Selected: start, Bound: math.Inf(1), Nodes: branchNodes}, nil
}

type anyPoint struct {
	e *anything
	p auction.Problem
}

func (r *anyPoint) Add(rows []auction.Constraint) error {
	if r.e.broken == "add" {
		return errors.New("no memory")
	}
	r.p.Rows = append(slices.Clone(r.p.Rows), rows...)
	return nil
}

func (r *anyPoint) Solve() (Point, error) {
	if r.e.broken == "solve" {
		return Point{}, errors.New("numerical trouble")
	}
	point := Point{Solved: rapid.IntRange(0, 9).Draw(r.e.t, "solved") > 0}
	if !point.Solved {
		return point, nil
	}
	for range r.p.Objective {
		point.Columns = append(point.Columns, rapid.SampledFrom([]float64{0, 0.4, 0.5, 1}).Draw(r.e.t, "x"))
	}
	for range r.p.Rows {
		point.Duals = append(point.Duals, rapid.SampledFrom([]float64{0, 0, 0.25, 1, 2}).Draw(r.e.t, "dual"))
	}
	return point, nil
}

// TestSolveIsHonest: whatever the engine's points are, and wherever it fails,
// selections are feasible, bounds hold, optimal means optimal and enough means enough.
func TestSolveIsHonest(t *testing.T) {
	optimal := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 14)
		best := optimum(t, p)
		p.Enough = rapid.SampledFrom([]float64{0, 0, 0.2}).Draw(t, "enough")
		engine := &anything{t, rapid.SampledFrom([]string{"", "", "", "relax", "branch", "add", "solve"}).Draw(t, "broken")}
		quick := Quick(p, Limits{})
		limits := Limits{}
		reports := []auction.Assignment{}
		a, err := Solve(p, Known{quick.Selected, quick.Bound}, engine, limits, func(a auction.Assignment) { reports = append(reports, a) })
		if err != nil && engine.broken == "" {
			t.Fatal(err)
		}
		for _, told := range append(reports, a) {
			honest(t, p, told, best)
		}
		switch a.Status {
		case program.StatusOptimal:
			optimal++
		case program.StatusEnough:
			if a.Bound > a.Objective*(1+p.Enough) {
				t.Fatalf("%v, enough is %g", a, p.Enough)
			}
		case program.StatusWorkLimit, program.StatusTimeLimit:
		default:
			t.Fatalf("status of %v", a)
		}
	})
	if optimal == 0 {
		t.Error("nothing was solved")
	}
}

func eachSubset(p auction.Problem, visit func(selected []int)) {
	for bits := range 1 << len(p.Objective) {
		selected := []int{}
		for i := range p.Objective {
			if bits>>i&1 == 1 {
				selected = append(selected, i)
			}
		}
		visit(selected)
	}
}

// TestReduceKeepsTheSelections: a selection is feasible before if and only if
// it is afterwards, with the groups as rows.
func TestReduceKeepsTheSelections(t *testing.T) {
	fewer, tighter := 0, 0
	check := func(t *rapid.T) {
		p := drawProblem(t, 10)
		q := newSubproblem(p).reduce(never)
		reduced, _ := q.relaxed()
		if len(q.rows) < len(newSubproblem(p).rows) {
			fewer++
		}
		for _, row := range q.rows {
			if !slices.ContainsFunc(p.Rows, func(r auction.Constraint) bool {
				return r.Bound == row.Bound && slices.Equal(r.Coefficients, row.Coefficients)
			}) {
				tighter++
			}
		}
		eachSubset(p, func(selected []int) {
			columns := q.here(selected)
			after := len(columns) == len(selected) && reduced.Check(columns) == nil
			if before := p.Check(selected) == nil; before != after {
				t.Fatalf("%v: feasible %v before, %v after\n%v\n%v", selected, before, after, p, reduced)
			}
		})
	}
	// Of a hundred programs none has a tighter row once in 6,000 times.
	rapid.Check(t, func(t *rapid.T) {
		for range 6 {
			check(t)
		}
	})
	if fewer == 0 || tighter == 0 {
		t.Errorf("%d programs got fewer rows, %d rows became tighter", fewer, tighter)
	}
}

// TestCutsKeepTheSelections: cuts cut points off, but no selection.
func TestCutsKeepTheSelections(t *testing.T) {
	cliques, divisions := 0, 0
	cuts := func(t *rapid.T) {
		p := drawProblem(t, 10)
		q := newSubproblem(p).reduce(never)
		x := make([]float64, len(q.objective))
		for i := range x {
			x[i] = rapid.SampledFrom([]float64{0, 0.4, 0.5, 0.7}).Draw(t, "x")
		}
		found := newConflicts(q.model()).cliqueCuts(x, 100)
		cliques += len(found)
		more := divisionCuts(q.rows, x, 100, &budget{left: divisionWork, stop: never})
		divisions += len(more)
		with := q
		with.rows = append(slices.Clone(q.rows), append(found, more...)...)
		for _, row := range append(found, more...) {
			sum := 0.0
			for k, i := range row.Columns {
				sum += x[i] * float64(row.Coefficients[k])
			}
			if sum <= float64(row.Bound) {
				t.Fatalf("%+v does not cut %v off", row, x)
			}
		}
		before, _ := q.relaxed()
		after, _ := with.relaxed()
		// Reducing again may let a cut stand for rows, and dropping cuts must
		// not lose these.
		again := with.reduce(never)
		again = again.without(make([]float64, len(again.rows)))
		last, _ := again.relaxed()
		eachSubset(before, func(selected []int) {
			if before.Check(selected) == nil != (after.Check(selected) == nil) {
				t.Fatalf("%v: %v before, %v after\n%v", selected, before.Check(selected), after.Check(selected), after)
			}
			columns := again.here(q.there(selected))
			if before.Check(selected) == nil != (len(columns) == len(selected) && last.Check(columns) == nil) {
				t.Fatalf("%v: %v before, %v without the cuts\n%v", selected, before.Check(selected), last.Check(columns), last)
			}
		})
	}
	// Of fourteen times a hundred programs one has no division cut at all.
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			cuts(t)
		}
	})
	if cliques == 0 || divisions == 0 {
		t.Errorf("%d clique and %d division cuts", cliques, divisions)
	}
}
