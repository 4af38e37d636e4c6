package auction_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// later is the snapshot when some time has passed, as the guard marks it then.
func later(s auction.Snapshot, g *auction.Guard, by time.Duration) auction.Snapshot {
	s.Now += by
	s.Jobs = slices.Clone(s.Jobs)
	for i := range s.Jobs {
		s.Jobs[i].Waited += by
	}
	g.Mark(s)
	return s
}

// As long as Steady says, the same jobs have reservations, on the same nodes, and an auction that started nothing starts
// nothing.
func TestSteady(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawRunning(t)
		for i := range s.Jobs {
			j := &s.Jobs[i]
			j.Overdue = false
			j.Options.Exclusive = rapid.IntRange(0, 3).Draw(t, "exclusive") == 0
			j.Waited = time.Duration(auctiontest.Between(0, 300).Draw(t, "waited")) * time.Minute
			if rapid.Bool().Draw(t, "long") {
				j.TimeLimit *= 100
			}
		}
		if len(s.Jobs) > 0 && rapid.Bool().Draw(t, "crowd") {
			// Jobs of all nodes make a long queue, in which claims count.
			first := s.Jobs[len(s.Jobs)-1]
			for k := range 20 {
				s.Jobs = append(s.Jobs, bidding.Job{
					ID: 1000 + k, Priority: first.Priority, Nodes: len(s.Nodes), CoresPerNode: 1, TimeLimit: first.TimeLimit,
					Waited: time.Duration(auctiontest.Between(0, 300).Draw(t, "waited")) * time.Minute,
				})
			}
		}
		g := auction.NewGuard(rapid.SampledFrom([]float64{0, 0.05, 0.25, 1}).Draw(t, "factor"))
		g.Mark(s)
		s = later(s, g, time.Duration(auctiontest.Between(0, 60).Draw(t, "before"))*time.Minute)
		o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: rapid.SampledFrom(auction.Objectives()).Draw(t, "objective")}
		was, err := auction.Auction(context.Background(), s, o, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		steady := o.Steady(s, g)
		if steady < time.Second {
			t.Fatalf("steady for %v, want at least a second", steady)
		}
		seconds := int(min(steady, 100*time.Hour)/time.Second) - 1
		passed := time.Duration(auctiontest.Between(0, seconds).Draw(t, "passed")) * time.Second
		then := later(s, g, passed)
		is, err := auction.Auction(context.Background(), then, o, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b *auction.Reservation) bool {
			return a.Bid.Job == b.Bid.Job && slices.Equal(a.Bid.Nodes, b.Bid.Nodes) && a.OnlySharing == b.OnlySharing
		}
		if !slices.EqualFunc(was.Reservations(), is.Reservations(), same) {
			t.Fatalf("reservations %+v, %v later %+v, steady for %v", was.Reservations(), passed, is.Reservations(), steady)
		}
		if len(was.Ordered)+len(was.Deferred) == 0 && len(is.Ordered)+len(is.Deferred) > 0 {
			t.Fatalf("nothing starts, and %v later %+v", passed, is.Ordered)
		}
	})
}

// The instants at which reservations may change: a job that becomes overdue (Guard), late or the most stretched one.
func TestSteadyUntil(t *testing.T) {
	job := func(limit, waited time.Duration) bidding.Job {
		return bidding.Job{Nodes: 1, CoresPerNode: 2, TimeLimit: limit, Waited: waited}
	}
	wide := func(limit, waited time.Duration) bidding.Job {
		return bidding.Job{Nodes: 2, CoresPerNode: 2, TimeLimit: limit, Waited: waited}
	}
	// All nodes, which are free in 10 minutes, for 4 minutes, of which twice as many may be waited for.
	whole := bidding.Job{Nodes: 2, CoresPerNode: 4, TimeLimit: 4 * time.Minute}
	exclusive := job(time.Hour, 10*time.Minute)
	exclusive.Options.Exclusive = true
	// The backlog of the overdue job is a half of the machine for 10 minutes, a quarter for an hour, and its own hour.
	for name, c := range map[string]struct {
		jobs   []bidding.Job
		factor float64
		want   time.Duration
	}{
		"nothing moves":                        {[]bidding.Job{job(time.Hour, 0)}, 0, math.MaxInt64},
		"an exclusive job becomes late":        {[]bidding.Job{exclusive}, 0, 50 * time.Minute},
		"a job becomes overdue":                {[]bidding.Job{job(time.Hour, 0)}, 1, 80*time.Minute + time.Second},
		"a job becomes stretched":              {[]bidding.Job{job(time.Minute, 5*time.Minute), job(24*time.Hour, 0)}, 0, 5*time.Minute + time.Second},
		"a job overtakes the most stretched":   {[]bidding.Job{job(2*time.Minute, time.Hour), job(time.Minute, 20*time.Minute), job(100*time.Hour, 0)}, 0, 20*time.Minute + time.Second},
		"longer ones never overtake":           {[]bidding.Job{job(time.Minute, time.Hour), job(2*time.Minute, time.Hour), job(100*time.Hour, 0)}, 0, math.MaxInt64},
		"a claim overtakes the strongest":      {append(slices.Repeat([]bidding.Job{job(90*time.Minute, 0)}, 40), wide(2*time.Hour, 4*time.Hour), wide(time.Hour, 0)), 0, 40*time.Minute + time.Second},
		"a claim's nodes come near enough":     {append(slices.Repeat([]bidding.Job{job(8*time.Minute, 0)}, 40), whole), 0, 2 * time.Minute},
		"limits alike have no stretched job":   {[]bidding.Job{job(time.Minute, time.Hour), job(time.Minute, time.Minute)}, 0, math.MaxInt64},
		"jobs without a limit never stretched": {[]bidding.Job{job(0, time.Hour), job(time.Minute, 5*time.Minute), job(24*time.Hour, 0)}, 0, 5*time.Minute + time.Second},
	} {
		s := half(c.jobs...)
		g := auction.NewGuard(c.factor)
		g.Mark(s)
		if got := (auction.Options{Objective: auction.ObjectiveAdaptive}).Steady(s, g); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
