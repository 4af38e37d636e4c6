package agent_test

import (
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// scripted starts no job. Its solutions have the given statuses and times, one after
// the other, from the last one on always that; it keeps how many jobs and bids it was
// allowed in each.
type scripted struct {
	statuses []program.Status
	times    []time.Duration
	jobs     []int
	bids     []int
}

func (s *scripted) decide(snapshot auction.Snapshot, bids int) (auction.Result, error) {
	at := min(len(s.jobs), len(s.statuses)-1)
	s.jobs, s.bids = append(s.jobs, len(snapshot.Jobs)), append(s.bids, bids)
	r := auction.Result{Assignment: auction.Assignment{Status: s.statuses[at]}}
	if r.Assignment.Status != program.StatusOptimal {
		r.Assignment.Bound = 1
	}
	r.Phases.Solve = s.times[at]
	return r, nil
}

const (
	late   = program.StatusTimeLimit
	proven = program.StatusOptimal
)

// TestBudget: "If the time limit is exceeded [...] the number of jobs in the window is halved for the next scheduling
// interval" (IPSCHED section IV). The published AUCSCHED divides its bids by 1.5, and AUCSCHED3 multiplies them
// again.
func TestBudget(t *testing.T) {
	tests := []struct {
		name     string
		shrink   agent.Shrink
		statuses []program.Status
		times    []time.Duration
		// same leaves the cluster as it is between cycles.
		same       bool
		jobs, bids []int
	}{
		{"nothing", agent.ShrinkNothing, []program.Status{late}, []time.Duration{4}, false, []int{8, 8, 8}, []int{90, 90, 90}},
		{"the window halves to 1", agent.ShrinkWindow, []program.Status{late}, []time.Duration{4}, false, []int{8, 4, 2, 1, 1}, nil},
		{"an abandoned solution", agent.ShrinkWindow, []program.Status{program.StatusAbandoned}, []time.Duration{4}, false, []int{8, 4}, nil},
		{"a lost process", agent.ShrinkWindow, []program.Status{program.StatusWorkerLost}, []time.Duration{1}, false, []int{8, 4}, nil},
		{"and doubles back", agent.ShrinkWindow, []program.Status{late, late, late, proven}, []time.Duration{4, 4, 4, 1}, false, []int{8, 4, 2, 1, 2, 4, 8, 8}, nil},
		{"not while solutions are slow", agent.ShrinkWindow, []program.Status{late, proven}, []time.Duration{4, 2}, false, []int{8, 4, 4, 4}, nil},
		{"not while nothing changes", agent.ShrinkWindow, []program.Status{late, proven}, []time.Duration{4, 1}, true, []int{8, 4, 4, 4}, nil},
		{"bids", agent.ShrinkBids, []program.Status{late, late, proven}, []time.Duration{4, 4, 1}, false, []int{8, 8, 8, 8, 8, 8}, []int{90, 60, 40, 60, 90, 90}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var held []agent.HeldJob
			for i := range 9 {
				held = append(held, job(i+1, 8))
			}
			c := newOdd(2, 8, 0, held...)
			s := &scripted{statuses: tt.statuses, times: tt.times}
			a := agent.New(c, nil, agent.Settings{
				Window: 8, Auction: auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBids: 90})}, Decider: decider{decide: s.decide}, Shrink: tt.shrink, SolveLimit: 4,
			})
			for i := range tt.jobs {
				record, err := a.Cycle(t.Context(), 0)
				if err != nil || record.Window != s.jobs[i] || record.WindowLimit != s.jobs[i] || record.BidLimit != s.bids[i] {
					t.Errorf("cycle %d: %+v, %v: the record is not what was allowed", i+1, record, err)
				}
				// A cycle that is left out would decide the same.
				if a.Settled() != (s.statuses[min(i, len(s.statuses)-1)] == proven) {
					t.Errorf("cycle %d: settled %v", i+1, a.Settled())
				}
				if !tt.same {
					c.nodes[0].FreeCores = 8 - i%2
				}
			}
			if !slices.Equal(s.jobs, tt.jobs) || tt.bids != nil && !slices.Equal(s.bids, tt.bids) {
				t.Errorf("jobs %v, bids %v; want %v, %v", s.jobs, s.bids, tt.jobs, tt.bids)
			}
		})
	}
}

// TestObstacleOfThePolicy: a job that the policy cannot express stays held, and is
// reported once.
func TestObstacleOfThePolicy(t *testing.T) {
	c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
	greedy := func(s auction.Snapshot, _ int) (auction.Result, error) {
		return auction.Auction(t.Context(), s, auctiontest.Options(), auctiontest.Greedy{})
	}
	a := agent.New(c, nil, agent.Settings{Window: 1, Patience: 2, Decider: decider{greedy, func(j bidding.Job) string {
		if len(c.held) == 2 && j.Cores == c.held[0].Request.Cores {
			return "it is odd"
		}
		return ""
	}}})
	c.held[0].Request.Cores = 4
	first, err := a.Cycle(t.Context(), 0)
	if err != nil || len(first.Unplaced) != 1 || first.Unplaced[0].Reason != "it is odd" || len(first.Released) != 1 || first.Released[0].Job != 2 {
		t.Fatalf("%+v, %v: want job 1 reported and job 2 released", first, err)
	}
}

// TestNarrowedIsRecordedOnce: the papers' programs do not choose among all that a job may
// ask for; AUCSCHED2's "bids may vary in the number of GPUs requested" (section 3), those of
// AUCSCHED do not.
func TestNarrowedIsRecordedOnce(t *testing.T) {
	wide := job(1, 8)
	wide.Request.Nodes, wide.Request.MaxNodes, wide.Request.GPUs, wide.Request.MaxGPUs = 1, 2, 1, 2
	c := newOdd(2, 8, 2, wide)
	var seen bidding.Job
	a := agent.New(c, nil, agent.Settings{Window: 1, Patience: 2, Decider: decider{decide: func(s auction.Snapshot, _ int) (auction.Result, error) {
		seen = s.Jobs[0]
		return auction.Result{}, nil
	}}})
	const want = "of 1 to 2 nodes it gets 1; of 1 to 2 GPUs a node it gets 1"
	for cycle := range 2 {
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Narrowed) != 1-cycle || cycle == 0 && record.Narrowed[0].Reason != want {
			t.Errorf("cycle %d: %+v, %v, want %q once", cycle, record.Narrowed, err, want)
		}
	}
	if seen.Nodes != 1 || seen.MaxNodes != 0 || seen.GPUs != 1 || seen.MaxGPUs != 0 {
		t.Errorf("the program is told of %+v", seen)
	}
}

// TestRecheck: cores that were planned on what was free are not asked for when a
// job has ended since.
func TestRecheck(t *testing.T) {
	for _, ends := range []bool{false, true} {
		c := newOdd(2, 8, 0, job(1, 8), job(2, 8))
		a := agent.New(c, nil, agent.Settings{Window: 2, Patience: 2,
			Decider: decider{decide: func(auction.Snapshot, int) (auction.Result, error) {
				if ends {
					c.nodes[1].FreeCores--
				}
				return auction.Result{Ordered: []bidding.Bid{
					{Job: 1, Class: bidding.ClassR, Allocation: machine.Allocation{Nodes: []int{1}, Cores: []int{8}}},
					{Job: 0, Class: bidding.ClassFree, Allocation: machine.Allocation{Nodes: []int{0}, Cores: []int{8}}},
				}}, nil
			}}})
		record, err := a.Cycle(t.Context(), 0)
		if err != nil || len(record.Released) == 2 == ends || len(record.Deferred) == 1 != ends {
			t.Errorf("a job ends: %v: %+v, %v", ends, record, err)
		}
		if ends && (record.Deferred[0].Job != 2 || a.Settled()) {
			t.Errorf("%+v, settled %v: want job 2 deferred, and another cycle", record.Deferred, a.Settled())
		}
	}
}
