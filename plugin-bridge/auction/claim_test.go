package auction_test

import (
	"context"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestStretched: a job that has waited for more than ten of its limits has the
// reservation under the adaptive objective, unless another one is overdue, and none under
// the objective by value.
func TestStretched(t *testing.T) {
	for _, tt := range []struct {
		objective auction.Objective
		waited    time.Duration
		overdue   bool
		want      int
	}{
		{auction.ObjectiveAdaptive, 11 * time.Minute, false, 2},
		{auction.ObjectiveAdaptive, 10 * time.Minute, false, 0},
		{auction.ObjectiveAdaptive, 11 * time.Minute, true, 1},
		{auction.ObjectiveValue, 11 * time.Minute, false, 0},
	} {
		nodes := machine.IdleNodes(4, 8, 0)
		running := machine.Holding{Job: 9, Allocation: machine.Allocation{Nodes: []int{0, 1}, Cores: []int{8, 8}}, End: time.Hour}
		machine.Take(nodes, running.Allocation)
		s := auction.Snapshot{Nodes: nodes, Running: []machine.Holding{running}, Jobs: []bidding.Job{
			{ID: 1, Priority: 3, Nodes: 4, CoresPerNode: 8, TimeLimit: 10 * time.Hour, Waited: time.Hour, Overdue: tt.overdue},
			{ID: 2, Priority: 2, Nodes: 3, CoresPerNode: 8, TimeLimit: time.Minute, Waited: tt.waited},
			{ID: 3, Priority: 1, Nodes: 1, CoresPerNode: 8, TimeLimit: 20 * time.Hour},
		}}
		r, err := auction.Auction(context.Background(), s,
			auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: tt.objective}, auctiontest.Exhaustive{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if r.Reservation != nil {
			got = s.Jobs[r.Reservation.Bid.Job].ID
		}
		if got != tt.want {
			t.Errorf("%+v: job %d has the reservation", tt, got)
		}
	}
}

// TestClaims: limits are alike and a long queue has a wide job. The first job by s^1.3 / L (1 + w / L) has the
// reservation if its nodes are free within two of its limits.
func TestClaims(t *testing.T) {
	job := func(id, nodes int, limit, waited time.Duration) bidding.Job {
		return bidding.Job{ID: id, Priority: float64(9 - id), Nodes: nodes, CoresPerNode: 8, TimeLimit: limit, Waited: waited}
	}
	wide := job(3, 8, 4*time.Hour, 0)
	const hour = time.Hour
	none := auction.DefaultRule()
	none.Drain = 0
	fair := job(1, 2, hour, 0)
	fair.Weight = 3
	overdue := job(1, 2, hour, 0)
	overdue.Overdue = true
	for name, tt := range map[string]struct {
		jobs []bidding.Job
		ends time.Duration
		rule *auction.Rule
		want int
	}{
		"the larger share":        {[]bidding.Job{job(1, 2, hour, 0), job(2, 4, hour, 0), wide}, 2 * hour, nil, 2},
		"the shorter limit":       {[]bidding.Job{job(1, 4, 30*time.Minute, 0), job(2, 4, hour, 0), job(3, 8, 2*hour, 0)}, hour, nil, 1},
		"the longer wait":         {[]bidding.Job{job(1, 2, hour, 2*hour), job(2, 4, hour, 0), wide}, 2 * hour, nil, 1},
		"the greater weight":      {[]bidding.Job{fair, job(2, 4, hour, 0), wide}, 2 * hour, nil, 1},
		"an overdue job first":    {[]bidding.Job{overdue, job(2, 4, hour, 0), wide}, 2 * hour, nil, 1},
		"no more than two limits": {[]bidding.Job{job(1, 2, hour, 0), job(2, 4, hour, 0), wide}, 2*hour + time.Second, nil, 0},
		"no wide job":             {[]bidding.Job{job(1, 2, hour, 0), job(2, 4, hour, 0)}, 2 * hour, nil, 0},
		"a short queue":           {[]bidding.Job{job(1, 2, hour, 0), job(2, 4, hour, 0), wide}, 2 * hour, nil, 0},
		"a rule without":          {[]bidding.Job{job(1, 2, hour, 0), job(2, 4, hour, 0), wide}, 2 * hour, &none, 0},
		"nobody without a limit":  {[]bidding.Job{job(1, 2, 0, 0), wide}, 2 * hour, nil, 3},
	} {
		if name != "a short queue" {
			for id := range 100 {
				tt.jobs = append(tt.jobs, job(10+id, 1, hour, 0))
			}
		}
		nodes := machine.IdleNodes(12, 8, 0)
		running := machine.Holding{Job: 9, End: tt.ends}
		for n := range nodes {
			running.Nodes, running.Cores = append(running.Nodes, n), append(running.Cores, 8)
		}
		machine.Take(nodes, running.Allocation)
		s := auction.Snapshot{Nodes: nodes, Running: []machine.Holding{running}, Jobs: tt.jobs}
		for _, objective := range auction.Objectives() {
			r, err := auction.Auction(context.Background(), s,
				auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: objective, Rule: tt.rule}, auctiontest.Exhaustive{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := 0, tt.want
			if r.Reservation != nil {
				got = s.Jobs[r.Reservation.Bid.Job].ID
			}
			if objective == auction.ObjectivePriority && !s.Jobs[0].Overdue {
				want = 0
			}
			if got != want {
				t.Errorf("%s, objective %s: job %d has the reservation, want %d", name, objective, got, want)
			}
		}
	}
}
