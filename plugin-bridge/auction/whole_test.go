package auction_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// half is two nodes of 4 cores that a job shares with nobody yet, for ten minutes more.
func half(jobs ...bidding.Job) auction.Snapshot {
	s := auction.Snapshot{Nodes: machine.IdleNodes(2, 4, 0), Jobs: jobs}
	a := machine.Allocation{Nodes: []int{0, 1}, Cores: []int{2, 2}}
	s.Running = []machine.Holding{{Job: 100, Allocation: a, End: 10 * time.Minute}}
	machine.Take(s.Nodes, a)
	for i := range s.Jobs {
		s.Jobs[i].ID, s.Jobs[i].Priority = i+1, float64(-i)
	}
	return s
}

// An exclusive job gets nodes on which no other job runs (sbatch(1), --exclusive). Jobs that share a node and would
// still run when it becomes whole must not start there, though the exclusive job has no bid.
func TestWholeNodeReservation(t *testing.T) {
	whole := bidding.Job{Nodes: 1, Cores: 1, TimeLimit: time.Hour, Options: bidding.JobOptions{Exclusive: true}}
	small := func(limit time.Duration) bidding.Job { return bidding.Job{Nodes: 1, Cores: 2, TimeLimit: limit} }
	late, overdue := whole, whole
	late.Waited, overdue.Overdue = time.Hour, true
	idle := func(jobs ...bidding.Job) auction.Snapshot {
		s := half(jobs...)
		s.Running, s.Nodes = nil, machine.IdleNodes(1, 4, 0)
		return s
	}
	short := whole
	short.TimeLimit = time.Minute
	for name, c := range map[string]struct {
		s     auction.Snapshot
		alone bool
		want  []int
	}{
		"jobs that run on share one node of two": {half(small(time.Hour), small(time.Hour), whole), false, []int{0}},
		"as before":                              {half(small(time.Hour), small(time.Hour), whole), true, []int{0, 1}},
		"jobs that end before share both":        {half(small(time.Minute), small(time.Minute), whole), false, []int{0, 1}},
		"two exclusive jobs keep two nodes":      {half(small(time.Hour), whole, whole), false, nil},
		"value decides about a whole node":       {idle(whole, short), false, []int{1}},
		"a late job starts":                      {idle(late, short), false, []int{0}},
		"an overdue job starts":                  {idle(overdue, short), false, []int{0}},
	} {
		o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectiveValue, ValueAlone: c.alone}
		r, err := auction.Auction(context.Background(), c.s, o, packing.QuickSolver{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range r.Ordered {
			got = append(got, b.Job)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: jobs %v start, want %v", name, got, c.want)
		}
	}
}

// Windows without an exclusive job, windows of exclusive jobs that are not late, and the papers' objective have the
// programs that they had before there were whole-node reservations.
func TestWholeNodesChangeNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawRunning(t)
		objective := rapid.SampledFrom(auction.Objectives()).Draw(t, "objective")
		switch all := rapid.Bool().Draw(t, "exclusive"); {
		case all:
			for i := range s.Jobs {
				s.Jobs[i].Options.Exclusive, s.Jobs[i].Overdue = true, false
			}
		case objective == auction.ObjectivePriority && len(s.Jobs) > 0:
			s.Jobs[0].Options.Exclusive = true
		}
		programs := [2]auction.Problem{}
		for i, alone := range []bool{true, false} {
			o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: objective, ValueAlone: alone}
			r, err := auction.Auction(context.Background(), s, o, packing.QuickSolver{})
			if err != nil {
				t.Fatal(err)
			}
			programs[i] = r.Problem
		}
		if !reflect.DeepEqual(programs[0], programs[1]) {
			t.Fatalf("with whole-node reservations\n%v\nwithout\n%v", programs[1], programs[0])
		}
	})
}

// A run that was recorded before whole-node reservations is played again without them.
func TestOldRecordsHaveNoWholeNodes(t *testing.T) {
	var old auction.Options
	if err := json.Unmarshal([]byte(`{"Objective":"adaptive"}`), &old); err != nil || !old.ValueAlone {
		t.Errorf("%+v, %v", old, err)
	}
	for _, alone := range []bool{false, true} {
		text, err := json.Marshal(auction.Options{Objective: auction.ObjectiveAdaptive, ValueAlone: alone})
		var again auction.Options
		if err != nil || json.Unmarshal(text, &again) != nil || again.ValueAlone != alone {
			t.Errorf("%t: %s, %v, %+v", alone, text, err, again)
		}
	}
}
