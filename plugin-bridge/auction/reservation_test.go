package auction_test

import (
	"context"
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

// idle is a solver that finds nothing, as one that is cut short.
type idle struct{}

func (idle) Solve(context.Context, auction.Problem) (auction.Assignment, error) {
	return auction.Assignment{Status: program.StatusGreedy}, nil
}

// start gives a job what it won, and fails if a node has not that much.
func start(t *rapid.T, nodes []machine.Node, a machine.Allocation) {
	if !machine.Fits(nodes, a) {
		t.Fatalf("%+v is oversold by %+v", nodes, a)
	}
	machine.Take(nodes, a)
}

// drawRunning starts some jobs of the snapshot, which then run, and marks one of
// the others overdue, if there is one.
func drawRunning(t *rapid.T) auction.Snapshot {
	s := auctiontest.DrawSnapshot(t, 6)
	for i := range s.Jobs {
		s.Jobs[i].Options = bidding.JobOptions{}
		s.Jobs[i].TimeLimit = time.Duration(auctiontest.Between(1, 20).Draw(t, "limit")) * time.Minute
	}
	r, err := auction.Auction(context.Background(), s, auctiontest.Options(), packing.QuickSolver{})
	if err != nil {
		t.Fatal(err)
	}
	runs := map[int]bool{}
	for _, b := range r.Ordered {
		if rapid.Bool().Draw(t, "runs") {
			s.Running = append(s.Running, machine.Holding{Allocation: b.Allocation, End: s.Jobs[b.Job].TimeLimit})
			runs[b.Job] = true
			start(t, s.Nodes, b.Allocation)
		}
	}
	var rest []bidding.Job
	for i, j := range s.Jobs {
		if !runs[i] {
			rest = append(rest, j)
		}
	}
	s.Jobs = rest
	if len(s.Jobs) > 0 {
		s.Jobs[auctiontest.Between(0, len(s.Jobs)-1).Draw(t, "overdue")].Overdue = true
	}
	return s
}

// TestReservationHolds is what Guard's bound rests on: after the winners have
// started and whatever has ended since, the overdue job has a reservation no later than
// before.
func TestReservationHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawRunning(t)
		overdue := slices.IndexFunc(s.Jobs, func(j bidding.Job) bool { return j.Overdue })
		r, err := auction.Auction(context.Background(), s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectiveValue}, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		before := r.Reservation
		if before == nil {
			return
		}
		if before.At == 0 {
			if !slices.ContainsFunc(append(r.Ordered, deferred(r)...), func(b bidding.Bid) bool { return b.Job == overdue }) {
				t.Fatalf("job %d can start now and does not win", s.Jobs[overdue].ID)
			}
			return
		}
		if slices.ContainsFunc(r.Ordered, func(b bidding.Bid) bool { return b.Job == overdue }) {
			// It starts before its reservation, by a bid of another class.
			return
		}
		passed := time.Duration(auctiontest.Between(0, int(before.At/time.Second)).Draw(t, "passed")) * time.Second
		next := auction.Snapshot{Nodes: slices.Clone(s.Nodes), Jobs: []bidding.Job{s.Jobs[overdue]}, Now: passed}
		for _, b := range r.Ordered {
			s.Running = append(s.Running, machine.Holding{Allocation: b.Allocation, End: s.Jobs[b.Job].TimeLimit})
			start(t, next.Nodes, b.Allocation)
		}
		for _, h := range s.Running {
			if h.End > passed && rapid.Bool().Draw(t, "still runs") {
				next.Running = append(next.Running, h)
				continue
			}
			machine.Give(next.Nodes, h.Allocation)
		}
		r, err = auction.Auction(context.Background(), next, auctiontest.Options(), packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		if after := r.Reservation; after == nil || after.At > before.At-passed {
			t.Fatalf("reserved %v, %v later %v", before.At, passed, after)
		}
	})
}

func deferred(r auction.Result) (bids []bidding.Bid) {
	for _, d := range r.Deferred {
		bids = append(bids, d.Bid)
	}
	return bids
}

// TestOverdueJobStarts: the first overdue job that can start does, also when the
// solver is cut short and where jobs of more value want its nodes.
func TestOverdueJobStarts(t *testing.T) {
	s := auction.Snapshot{Nodes: machine.IdleNodes(4, 8, 2), Jobs: []bidding.Job{
		{ID: 1, Priority: 3, Cores: 32, TimeLimit: time.Hour},
		{ID: 2, Priority: 2, Cores: 2, TimeLimit: 10 * time.Hour, Overdue: true},
		{ID: 3, Priority: 1, Cores: 16, TimeLimit: time.Minute, Overdue: true},
	}}
	for name, c := range map[string]struct {
		solver auction.Solver
		want   []int
	}{
		"exhaustive": {auctiontest.Exhaustive{}, []int{1, 2}},
		"cut short":  {idle{}, []int{1}},
	} {
		r, err := auction.Auction(context.Background(), s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectiveValue}, c.solver)
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
		Nodes: machine.IdleNodes(4, 8, 2),
		Jobs: []bidding.Job{
			{ID: 1, Cores: 16, TimeLimit: 10 * time.Minute},
			{ID: 2, Nodes: 4, Cores: 4, GPUs: 2, TimeLimit: 20 * time.Minute},
		},
		Running: []machine.Holding{{Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{8}}}},
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
		s.Now = time.Hour + c.after
		s.Running[0].End = s.Now + 20*time.Minute
		g.Mark(s)
		if got := []bool{s.Jobs[0].Overdue, s.Jobs[1].Overdue}; !slices.Equal(got, c.want) {
			t.Errorf("after %v overdue %v, want %v", c.after, got, c.want)
		}
	}
	never := auction.NewGuard(0)
	s.Jobs[0].Overdue, s.Jobs[1].Overdue = false, false
	for _, s.Now = range []time.Duration{0, 1000 * time.Hour} {
		never.Mark(s)
	}
	if s.Jobs[0].Overdue || s.Jobs[1].Overdue {
		t.Error("a guard with factor 0 found a job overdue")
	}
}
