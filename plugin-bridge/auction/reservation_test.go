package auction_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
)

// idle is a solver that finds nothing, as one that is cut short.
type idle struct{}

func (idle) Solve(context.Context, auction.Problem) (auction.Assignment, error) {
	return auction.Assignment{Status: auction.StatusGreedy}, nil
}

// drawRunning starts some jobs of the snapshot, which then run, and marks one of
// the others overdue, if there is one.
func drawRunning(t *rapid.T) auction.Snapshot {
	s := drawSnapshot(t, 6)
	for i := range s.Jobs {
		s.Jobs[i].Options = auction.JobOptions{}
		s.Jobs[i].TimeLimit = time.Duration(between(1, 20).Draw(t, "limit")) * time.Minute
	}
	r, err := auction.Auction(context.Background(), s, auction.Options{}, packing.QuickSolver{})
	if err != nil {
		t.Fatal(err)
	}
	runs := map[int]bool{}
	for _, b := range r.Ordered {
		if rapid.Bool().Draw(t, "runs") {
			s.Running = append(s.Running, auction.Occupation{Bid: b, Remaining: s.Jobs[b.Job].TimeLimit})
			runs[b.Job] = true
			for i, n := range b.Nodes {
				s.Nodes[n].FreeCores -= b.Cores[i]
				s.Nodes[n].FreeGPUs -= b.GPUs
			}
		}
	}
	var rest []auction.Job
	for i, j := range s.Jobs {
		if !runs[i] {
			rest = append(rest, j)
		}
	}
	s.Jobs = rest
	if len(s.Jobs) > 0 {
		s.Jobs[between(0, len(s.Jobs)-1).Draw(t, "overdue")].Overdue = true
	}
	return s
}

// TestReservationHolds is what Guard's bound rests on: after the winners have
// started and whatever has ended since, the overdue job has a place no later than
// before.
func TestReservationHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawRunning(t)
		overdue := slices.IndexFunc(s.Jobs, func(j auction.Job) bool { return j.Overdue })
		r, err := auction.Auction(context.Background(), s, auction.Options{Objective: auction.ObjectiveValue}, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		before := r.Reservation
		if before == nil {
			return
		}
		if before.At == 0 {
			if !slices.ContainsFunc(append(r.Ordered, deferred(r)...), func(b auction.Bid) bool { return b.Job == overdue }) {
				t.Fatalf("job %d can start now and does not win", s.Jobs[overdue].ID)
			}
			return
		}
		passed := time.Duration(between(0, int(before.At/time.Second)).Draw(t, "passed")) * time.Second
		next := auction.Snapshot{Nodes: slices.Clone(s.Nodes), Jobs: []auction.Job{s.Jobs[overdue]}}
		for _, b := range r.Ordered {
			s.Running = append(s.Running, auction.Occupation{Bid: b, Remaining: s.Jobs[b.Job].TimeLimit})
			for i, n := range b.Nodes {
				next.Nodes[n].FreeCores -= b.Cores[i]
				next.Nodes[n].FreeGPUs -= b.GPUs
			}
		}
		for _, o := range s.Running {
			if o.Remaining > passed && rapid.Bool().Draw(t, "still runs") {
				o.Remaining -= passed
				next.Running = append(next.Running, o)
				continue
			}
			for i, n := range o.Bid.Nodes {
				next.Nodes[n].FreeCores += o.Bid.Cores[i]
				next.Nodes[n].FreeGPUs += o.Bid.GPUs
			}
		}
		r, err = auction.Auction(context.Background(), next, auction.Options{}, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		if after := r.Reservation; after == nil || after.At > before.At-passed {
			t.Fatalf("reserved %v, %v later %v", before.At, passed, after)
		}
	})
}

func deferred(r auction.Result) (bids []auction.Bid) {
	for _, d := range r.Deferred {
		bids = append(bids, d.Bid)
	}
	return bids
}

// TestOverdueJobStarts: the first overdue job that can start does, also when the
// solver is cut short and where jobs of more value want its nodes.
func TestOverdueJobStarts(t *testing.T) {
	s := auction.Snapshot{Nodes: machine(4), Jobs: []auction.Job{
		{ID: 1, Priority: 3, Cores: 32, TimeLimit: time.Hour},
		{ID: 2, Priority: 2, Cores: 2, TimeLimit: 10 * time.Hour, Overdue: true},
		{ID: 3, Priority: 1, Cores: 16, TimeLimit: time.Minute, Overdue: true},
	}}
	for name, c := range map[string]struct {
		solver auction.Solver
		want   []int
	}{
		"exhaustive": {auction.Exhaustive{}, []int{1, 2}},
		"cut short":  {idle{}, []int{1}},
	} {
		r, err := auction.Auction(context.Background(), s, auction.Options{Objective: auction.ObjectiveValue}, c.solver)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range r.Ordered {
			got = append(got, b.Job)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: jobs %v start, want %v", name, got, c.want)
		}
	}
}

// TestGuard checks its formula: the machine's backlog of limits and the job's own.
func TestGuard(t *testing.T) {
	s := auction.Snapshot{
		Nodes: machine(4),
		Jobs: []auction.Job{
			{ID: 1, Cores: 16, TimeLimit: 10 * time.Minute},
			{ID: 2, Nodes: 4, Cores: 4, GPUs: 2, TimeLimit: 20 * time.Minute},
		},
		Running: []auction.Occupation{{Bid: auction.Bid{Nodes: []int{0}, Cores: []int{8}}, Remaining: 20 * time.Minute}},
	}
	// 1/4 x 20 + 1/2 x 10 + 1 x 20 = 30 minutes, and 10 or 20 of its own.
	g := auction.NewGuard(0.5)
	for _, c := range []struct {
		after time.Duration
		want  []bool
	}{
		{0, []bool{false, false}},
		{20 * time.Minute, []bool{false, false}},
		{20*time.Minute + time.Second, []bool{true, false}},
		{25*time.Minute + time.Second, []bool{true, true}},
	} {
		g.Mark(time.Hour+c.after, s)
		if got := []bool{s.Jobs[0].Overdue, s.Jobs[1].Overdue}; !slices.Equal(got, c.want) {
			t.Errorf("after %v overdue %v, want %v", c.after, got, c.want)
		}
	}
	never := auction.NewGuard(0)
	s.Jobs[0].Overdue, s.Jobs[1].Overdue = false, false
	never.Mark(0, s)
	never.Mark(1000*time.Hour, s)
	if s.Jobs[0].Overdue || s.Jobs[1].Overdue {
		t.Error("a guard with factor 0 found a job overdue")
	}
}
