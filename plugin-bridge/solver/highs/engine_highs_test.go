//go:build highs && cgo

package highs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

func onward(packing.Branched) bool { return true }

// whole is HiGHS without any other stage.
type whole struct{}

func (whole) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	if len(p.Objective) == 0 {
		return auction.Assignment{Selected: []int{}, Status: program.StatusOptimal}, nil
	}
	found, err := engine{}.Branch(p, nil, packing.BranchLimits{Time: time.Minute, Nodes: math.MaxInt32}, onward)
	a := auction.Assignment{Selected: found.Selected, Objective: p.Value(found.Selected), Bound: found.Bound, Status: program.StatusTimeLimit}
	if found.Optimal {
		a.Status = program.StatusOptimal
	}
	return a, err
}

func solve(t *testing.T, p auction.Problem) auction.Assignment {
	t.Helper()
	a, err := whole{}.Solve(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(a.Selected); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestVersion(t *testing.T) {
	if v := Version(); !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(v) {
		t.Errorf("Version = %q", v)
	}
}

// randomWindow is a machine in a random state with jobs of all types.
func randomWindow(seed uint64, nodes, jobs, largest int) auction.Snapshot {
	r := rand.New(rand.NewPCG(seed, 1))
	var s auction.Snapshot
	for i := range nodes {
		n := machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 12, GPUs: 3, FreeCores: 12, FreeGPUs: 3}
		switch {
		case i > 0 && r.IntN(4) > 0:
			n.FreeCores, n.FreeGPUs = s.Nodes[i-1].FreeCores, s.Nodes[i-1].FreeGPUs
		case r.IntN(2) == 0:
			n.FreeCores, n.FreeGPUs = r.IntN(13), r.IntN(4)
		}
		s.Nodes = append(s.Nodes, n)
	}
	for i := range jobs {
		j := bidding.Job{ID: i + 1, Priority: float64(jobs - i), Contiguous: r.IntN(2) == 0}
		size := 1 + r.IntN(largest)
		switch r.IntN(3) {
		case 0:
			j.Cores = size * (1 + r.IntN(12))
		case 1:
			j.Nodes, j.Cores, j.GPUs = size, size*(1+r.IntN(8)), r.IntN(4)
		default:
			j.Nodes, j.CoresPerNode, j.GPUs = size, 1+r.IntN(12), r.IntN(4)
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestAgreesWithExhaustive: HiGHS finds the optimum of auctions, preferences
// included, although these differ by a small part of the priorities only.
func TestAgreesWithExhaustive(t *testing.T) {
	reached := 0
	for seed := range uint64(60) {
		s := randomWindow(seed, 24, 7, 12)
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 6})).Bids()
		p := auction.Formulate(s, bids, auction.ObjectivePriority)
		want, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		a := solve(t, p)
		if a.Status != program.StatusOptimal || math.Abs(a.Objective-want.Objective) > 1e-9 {
			t.Errorf("seed %d: %v\nwant %v\n%v", seed, a, want, p)
		}
		start, err := auctiontest.Greedy{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if a.Objective > start.Objective+1e-9 {
			reached++
		}
	}
	if reached < 6 {
		t.Errorf("%d of 60 instances are not solved greedily: they are too easy", reached)
	}
}

// TestAgreesWithExhaustiveOnAnyProgram needs no structure of an auction.
func TestAgreesWithExhaustiveOnAnyProgram(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var p auction.Problem
		for range rapid.IntRange(0, 14).Draw(rt, "columns") {
			p.Objective = append(p.Objective, float64(rapid.IntRange(1, 40).Draw(rt, "objective"))/8)
		}
		for range rapid.IntRange(0, 8).Draw(rt, "rows") {
			row := auction.Constraint{Bound: rapid.IntRange(1, 12).Draw(rt, "bound")}
			for i := range p.Objective {
				if rapid.Bool().Draw(rt, "in") {
					row.Columns = append(row.Columns, i)
					row.Coefficients = append(row.Coefficients, rapid.IntRange(1, 12).Draw(rt, "coefficient"))
				}
			}
			if len(row.Columns) > 0 {
				p.Rows = append(p.Rows, row)
			}
		}
		want, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			rt.Fatal(err)
		}
		a := solve(t, p)
		if a.Status != program.StatusOptimal || math.Abs(a.Objective-want.Objective) > 1e-9 {
			rt.Fatalf("%v, want %v\n%v", a, want, p)
		}
	})
}

// TestIncumbentSurvivesTheTimeLimit: the engine returns the selection found,
// which lanl/highs itself would drop. Its start is empty, so that what it
// returns was found by HiGHS.
func TestIncumbentSurvivesTheTimeLimit(t *testing.T) {
	s := randomWindow(3, 512, 150, 60)
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	for limit := 100 * time.Millisecond; limit < time.Minute; limit *= 2 {
		found, err := engine{}.Branch(p, nil, packing.BranchLimits{Time: limit, Nodes: math.MaxInt32}, onward)
		if err != nil {
			t.Fatal(err)
		}
		if found.Optimal {
			t.Fatalf("optimal within %v: the instance is too easy", limit)
		}
		if p.Value(found.Selected) > 0 {
			if err := p.Check(found.Selected); err != nil {
				t.Fatal(err)
			}
			if value := p.Value(found.Selected); found.Bound < value {
				t.Errorf("bound %g below the value %g", found.Bound, value)
			}
			return
		}
	}
	t.Error("no selection within a minute")
}

// TestPaperExamples runs the whole auction on the examples of the papers.
func TestPaperExamples(t *testing.T) {
	nodes := func(n, free int) []machine.Node {
		all := make([]machine.Node, n)
		for i := range all {
			all[i] = machine.Node{Cores: 8, GPUs: 2, FreeCores: free, FreeGPUs: free / 4}
		}
		return all
	}
	tests := []struct {
		name     string
		snapshot auction.Snapshot
		j1       []string // the cores of J1
	}{
		{
			// IPSCHED Table I: "This can be done by assigning 512 nodes with 4
			// cores and 2 GPUs to each of jobs J2 and J3 and 1024 nodes with 4
			// cores to J1."
			"IPSCHED Table I",
			auction.Snapshot{Nodes: nodes(1024, 8), Jobs: []bidding.Job{
				{ID: 1, Priority: 3, Cores: 4096},
				{ID: 2, Priority: 2, Nodes: 512, Cores: 2048, GPUs: 2},
				{ID: 3, Priority: 1, Nodes: 512, Cores: 2048, GPUs: 2},
			}},
			[]string{"4(x1024)"},
		},
		{
			// AUCSCHED section 5: "J1 is allocated to the nodes {1-64,
			// 81-144}, J2 to {1-64}, J3 to {81-144}, J4 to {1-64, 81-144}", or
			// with J2 and J3 exchanged.
			"AUCSCHED figures 3 to 5",
			auction.Snapshot{Nodes: slices.Concat(nodes(64, 8), nodes(16, 0), nodes(64, 8)), Jobs: []bidding.Job{
				{ID: 1, Priority: 4, Cores: 512},
				{ID: 2, Priority: 3, Nodes: 64, CoresPerNode: 2, GPUs: 1},
				{ID: 3, Priority: 2, Nodes: 64, CoresPerNode: 4, GPUs: 2},
				{ID: 4, Priority: 1, Nodes: 128, CoresPerNode: 1},
			}},
			[]string{"5(x64),3(x64)", "3(x64),5(x64)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := auction.Auction(context.Background(), tt.snapshot, auctiontest.Options(), whole{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Ordered) != len(tt.snapshot.Jobs) || r.Assignment.Status != program.StatusOptimal {
				t.Fatalf("not all jobs start:\n%s", auctiontest.Describe(tt.snapshot, r))
			}
			for _, b := range r.Ordered {
				if got := machine.RunLength(b.Cores); b.Job == 0 && !slices.Contains(tt.j1, got) {
					t.Errorf("J1 gets %s, want one of %v", got, tt.j1)
				}
			}
		})
	}
}

// TestDeterministic: equal problems and seeds, equal answers, also while the
// garbage collector frees models.
func TestDeterministic(t *testing.T) {
	s := randomWindow(9, 24, 10, 8)
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	p := auction.Formulate(s, bids, auction.ObjectivePriority)
	first := solve(t, p)
	if first.Status != program.StatusOptimal {
		t.Fatalf("%v", first)
	}
	for range 3 {
		runtime.GC()
		if a := solve(t, p); !slices.Equal(a.Selected, first.Selected) {
			t.Fatalf("%v\nthen\n%v", first, a)
		}
	}
}

// TestRelaxation: duals of a linear program whose solution is known:
// max 3x+2y+2z, 2x+y+z <= 2 has the dual 2 and, with x+y <= 1, duals 2 and 0.
func TestRelaxation(t *testing.T) {
	p := auction.Problem{
		Objective: []float64{3, 2, 2},
		Rows:      []auction.Constraint{{Columns: []int{0, 1, 2}, Coefficients: []int{2, 1, 1}, Bound: 2}},
	}
	r, err := engine{}.Relax(p, time.Minute, func() bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		point, solveErr := r.Solve()
		if solveErr != nil || !point.Solved {
			t.Fatal(point, solveErr)
		}
		if value := 3*point.Columns[0] + 2*point.Columns[1] + 2*point.Columns[2]; math.Abs(value-4) > 1e-6 {
			t.Errorf("value %g of %v", value, point)
		}
		for _, d := range point.Duals {
			if d < 0 || d > 2 {
				t.Errorf("duals %v", point.Duals)
			}
		}
		if point.Duals[0] < 1.5-1e-6 {
			t.Errorf("duals %v", point.Duals)
		}
		if err := r.Add([]auction.Constraint{{Columns: []int{0, 1}, Coefficients: []int{1, 1}, Bound: 1}}); err != nil {
			t.Fatal(err)
		}
	}
}
