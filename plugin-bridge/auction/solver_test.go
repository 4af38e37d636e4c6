package auction_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// subset returns the columns whose bits are set.
func subset(bits int) []int {
	chosen := []int{}
	for i := 0; bits>>i > 0; i++ {
		if bits>>i&1 == 1 {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// bestSubset tries all subsets of the columns.
func bestSubset(p auction.Problem) float64 {
	best := 0.0
	for bits := range 1 << len(p.Objective) {
		if chosen := subset(bits); p.Check(chosen) == nil {
			best = max(best, p.Value(chosen))
		}
	}
	return best
}

// drawProblem draws a packing program without the structure of an auction.
func drawProblem(t *rapid.T, columns int) auction.Problem {
	var p auction.Problem
	for range auctiontest.Between(0, columns).Draw(t, "columns") {
		p.Objective = append(p.Objective, float64(auctiontest.Between(1, 30).Draw(t, "objective"))/8)
	}
	for range auctiontest.Between(0, 6).Draw(t, "rows") {
		row := auction.Constraint{Bound: auctiontest.Between(1, 12).Draw(t, "bound")}
		for i := range p.Objective {
			if rapid.Bool().Draw(t, "in") {
				row.Columns = append(row.Columns, i)
				row.Coefficients = append(row.Coefficients, auctiontest.Between(1, row.Bound).Draw(t, "coefficient"))
			}
		}
		if len(row.Columns) > 0 {
			p.Rows = append(p.Rows, row)
		}
	}
	return p
}

// drawAuction draws a snapshot and some of its bids, few enough to try all
// subsets.
func drawAuction(t *rapid.T, most int) (auction.Snapshot, []bidding.Bid) {
	s := auctiontest.DrawSnapshot(t, 5)
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 4, MaxBids: most})).Bids()
	return s, bids
}

func TestExhaustiveFindsTheBestSubset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, 10)
		a, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(a.Selected); err != nil {
			t.Fatal(err)
		}
		if want := bestSubset(p); a.Objective != p.Value(a.Selected) || math.Abs(a.Objective-want) > 1e-9 {
			t.Fatalf("%v, but the best subset has %g", a, want)
		}
		if a.Status != program.StatusOptimal || a.Gap() != 0 {
			t.Fatalf("%v: not reported as optimal", a)
		}
	})
}

func TestGreedyIsFeasibleAndHonest(t *testing.T) {
	reached, solved := 0, 0
	check := func(t *rapid.T) {
		p := drawProblem(t, 10)
		a, err := auctiontest.Greedy{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err = p.Check(a.Selected); err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		best := bestSubset(p)
		if a.Objective > best+1e-9 || a.Bound < best-1e-9 || a.Status != program.StatusGreedy {
			t.Fatalf("%v, the optimum is %g", a, best)
		}
		solved++
		if a.Objective > best-1e-9 {
			reached++
		}
	}
	// In a hundred programs the greedy solution is the best of each once in 10⁵ times.
	rapid.Check(t, func(t *rapid.T) {
		for range 4 {
			check(t)
		}
	})
	// The few draws of -short may be all of one kind.
	if !testing.Short() && (reached == 0 || reached == solved) {
		t.Errorf("%d of %d are optimal", reached, solved)
	}
}

// TestFormulateIsExact compares the reduced program with equations (2) to (4)
// as they stand, and our rows for memory and licences, for every selection with at most one bid per job.
func TestFormulateIsExact(t *testing.T) {
	slack, merged := 0, 0
	check := func(t *rapid.T) {
		s, bids := drawAuction(t, 10)
		p := auction.Formulate(s, bids, auction.ObjectivePriority)
		slack += p.Slack
		merged += p.Merged
		for _, r := range p.Rows {
			if len(r.Columns) == 0 || len(r.Columns) != len(r.Coefficients) || slices.Min(r.Coefficients) < 1 {
				t.Fatalf("row %+v", r)
			}
		}
		for bits := range 1 << len(bids) {
			chosen := subset(bits)
			jobs := map[int]bool{}
			cores, gpus, memory := make([]int, len(s.Nodes)), make([]int, len(s.Nodes)), make([]int, len(s.Nodes))
			licences := 0
			feasible := true
			for _, i := range chosen {
				feasible = feasible && !jobs[bids[i].Job]
				jobs[bids[i].Job] = true
				for at, n := range bids[i].Nodes {
					cores[n] += bids[i].Cores[at]
					gpus[n] += bids[i].GPUs
					memory[n] += auctiontest.MemoryOf(s, bids[i], at)
				}
				for _, l := range s.Jobs[bids[i].Job].Options.Licences {
					licences += l.Count
				}
			}
			for n, node := range s.Nodes {
				feasible = feasible && cores[n] <= node.FreeCores && gpus[n] <= node.FreeGPUs && memory[n] <= node.FreeMemory
			}
			feasible = feasible && licences <= s.Licences[0].Count
			if (p.Check(chosen) == nil) != feasible {
				t.Fatalf("selection %v: feasible %v, but the program says %v\n%v", chosen, feasible, p.Check(chosen), p)
			}
		}
	}
	// A single check draws no program with equal rows in one of 150 times.
	rapid.Check(t, func(t *rapid.T) {
		for range 6 {
			check(t)
		}
	})
	if !testing.Short() && (slack == 0 || merged == 0) {
		t.Errorf("%d rows were slack and %d merged: a reduction was not tried", slack, merged)
	}
}

// TestEqualRowsKeepTheLeastBound: n1 and n2 appear in the same bids with the
// same cores, n2 has less.
func TestEqualRowsKeepTheLeastBound(t *testing.T) {
	bid := func(job int) bidding.Bid {
		return bidding.Bid{Job: job, Class: bidding.ClassA, Allocation: machine.Allocation{Nodes: []int{0, 1}, Cores: []int{3, 3}}, Preference: 1, TasksPerNode: 3}
	}
	for _, free := range [][]int{{8, 6}, {6, 8}} {
		s := auction.Snapshot{Jobs: []bidding.Job{{ID: 1}, {ID: 2}, {ID: 3}}}
		for i, f := range free {
			s.Nodes = append(s.Nodes, machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: 8, FreeCores: f})
		}
		p := auction.Formulate(s, []bidding.Bid{bid(0), bid(1), bid(2)}, auction.ObjectivePriority)
		want := fmt.Sprintf("(3) n%d", 1+slices.Index(free, 6))
		if len(p.Rows) != 1 || p.Rows[0].Bound != 6 || p.Rows[0].Name() != want || p.Merged != 1 {
			t.Errorf("free cores %v: want one row %s with bound 6\n%v", free, want, p)
		}
	}
}

// TestPriorityBeatsPreference: inequality (9), "we do not want the added
// contributions to change the solution that maximizes the summation of
// priorities".
func TestPriorityBeatsPreference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, bids := drawAuction(t, 10)
		p := auction.Formulate(s, bids, auction.ObjectivePriority)
		priorities := s.Priorities()
		priorityOnly := auction.Problem{Rows: p.Rows}
		preferences := 0.0
		for i, b := range bids {
			priorityOnly.Objective = append(priorityOnly.Objective, priorities[b.Job])
			preferences += p.Objective[i] - priorities[b.Job]
			if p.Objective[i] <= priorities[b.Job] {
				t.Fatalf("%v adds nothing to its priority", b)
			}
		}
		if preferences >= 1 {
			t.Fatalf("all preferences together weigh %g, priorities differ by 1", preferences)
		}
		a, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := priorityOnly.Value(a.Selected), bestSubset(priorityOnly); got != want {
			t.Fatalf("%v wins priority %g of %g", a, got, want)
		}
	})
}

func TestSolversStopWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := auction.Problem{Objective: []float64{1}}
	if _, err := (auctiontest.Greedy{}).Solve(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("greedy: %v", err)
	}
	s := auctiontest.Big()
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
	big := auction.Formulate(s, bids, auction.ObjectivePriority)
	if _, err := (auctiontest.Exhaustive{}).Solve(ctx, big); !errors.Is(err, context.Canceled) {
		t.Errorf("exhaustive: %v", err)
	}
	if _, err := (auctiontest.Exhaustive{MaxSteps: 1000}).Solve(context.Background(), big); err == nil {
		t.Error("exhaustive solved 200 jobs in 1000 steps")
	}
}

func TestGap(t *testing.T) {
	tests := []struct {
		objective, bound, want float64
	}{
		{100, 103, 0.03},
		{100, 100, 0},
		{100, 99.9999, 0},
		{0, 0, 0},
		{0, 5, -1},
		{100, math.Inf(1), -1},
	}
	for _, tt := range tests {
		a := auction.Assignment{Objective: tt.objective, Bound: tt.bound}
		if got := a.Gap(); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("gap of %g with bound %g is %g, want %g", tt.objective, tt.bound, got, tt.want)
		}
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	p := auction.Problem{
		Objective: []float64{1, 1},
		Rows:      []auction.Constraint{{Kind: auction.CoresRow, Of: "n7", Columns: []int{0, 1}, Coefficients: []int{3, 2}, Bound: 4}},
	}
	tests := []struct {
		selected []int
		want     string
	}{
		{[]int{}, ""},
		{[]int{1}, ""},
		{[]int{0, 1}, "check selection: row (3) n7 has 5 of at most 4"},
		{[]int{2}, "check selection: column 2 of 2"},
		{[]int{1, 0}, "check selection: column 0 after 1, allowed is ascending order"},
		{[]int{1, 1}, "check selection: column 1 after 1, allowed is ascending order"},
	}
	for _, tt := range tests {
		got := ""
		if err := p.Check(tt.selected); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Check(%v) = %q, want %q", tt.selected, got, tt.want)
		}
	}
}

// TestGroupsAreJobs: the only GPU of a node, for which two jobs bid once each, is
// no job.
func TestGroupsAreJobs(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 8, GPUs: 1, FreeCores: 8, FreeGPUs: 1}},
		Jobs:  []bidding.Job{{ID: 1}, {ID: 2}, {ID: 3}},
	}
	bid := func(job, cores, gpus int) bidding.Bid {
		return bidding.Bid{Job: job, Class: bidding.ClassA, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{cores}, GPUs: gpus}, TasksPerNode: cores}
	}
	p := auction.Formulate(s, []bidding.Bid{bid(0, 1, 1), bid(1, 2, 1), bid(2, 1, 0), bid(2, 2, 0)}, auction.ObjectivePriority)
	if got, want := fmt.Sprint(p.Groups()), "[[0] [1] [2 3]]"; got != want {
		t.Errorf("groups %s, want %s\n%v", got, want, p)
	}
}
