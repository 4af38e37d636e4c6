package auction_test

import (
	"context"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// TestFormerValues checks V_j of the rule that made runs without a recorded rule. It uses 16 nodes, up to the scale
// that makes the least value 1. Job 0 has a share of 1/16 and a limit of 1 h.
func TestFormerValues(t *testing.T) {
	base := bidding.Job{ID: 1, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour}
	tests := []struct {
		name string
		job  bidding.Job
		want float64
	}{
		{"four times as wide", bidding.Job{Nodes: 4, CoresPerNode: 8, TimeLimit: time.Hour}, math.Pow(4, 1.5)},
		{"a thirty-second of the time", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour / 32}, math.Pow(32, 0.4)},
		{"GPUs dominate", bidding.Job{Nodes: 4, CoresPerNode: 1, GPUs: 2, TimeLimit: time.Hour}, math.Pow(4, 1.5)},
		{"cores dominate", bidding.Job{Nodes: 4, CoresPerNode: 8, GPUs: 1, TimeLimit: time.Hour}, math.Pow(4, 1.5)},
		{"the least of a GPU range", bidding.Job{Nodes: 4, CoresPerNode: 1, GPUs: 1, MaxGPUs: 2, TimeLimit: time.Hour}, math.Pow(2, 1.5)},
		{"cores only", bidding.Job{Cores: 32, TimeLimit: time.Hour}, math.Pow(4, 1.5)},
		{"GPUs without nodes, on as few as can be", bidding.Job{Cores: 9, GPUs: 2, TimeLimit: time.Hour}, math.Pow(2, 1.5)},
		{"GPUs without nodes, with cores per node", bidding.Job{Cores: 8, CoresPerNode: 2, GPUs: 2, TimeLimit: time.Hour}, math.Pow(4, 1.5)},
		{"just below a third", bidding.Job{Nodes: 5, CoresPerNode: 8, TimeLimit: time.Hour}, math.Pow(5, 1.5)},
		{"wide", bidding.Job{Nodes: 8, CoresPerNode: 8, TimeLimit: time.Hour}, math.Pow(8, 1.5) * math.Pow(1.5, 5) * math.Pow(2, 0.4)},
		{"wide and long", bidding.Job{Nodes: 8, CoresPerNode: 8, TimeLimit: 7 * time.Hour}, math.Pow(8, 1.5) * math.Pow(1.5, 5) / math.Pow(2, 0.4)},
		{"no limit counts like the longest", bidding.Job{Nodes: 4, CoresPerNode: 8}, math.Pow(4, 1.5)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := auction.FormerRule().Alike.Values(auction.Snapshot{Nodes: machine.IdleNodes(16, 8, 2), Jobs: []bidding.Job{base, tt.job}})
			if got[0] != 1 || math.Abs(got[1]-tt.want) > 1e-9 {
				t.Errorf("values %v, want 1 and %g", got, tt.want)
			}
		})
	}
	if got := auction.FormerRule().Alike.Values(auction.Snapshot{Nodes: machine.IdleNodes(1, 8, 2)}); len(got) != 0 {
		t.Errorf("values of no job: %v", got)
	}
}

// TestFormerValuesOfLimitsApart checks V_j on 16 nodes, up to the scale that makes the least value 1:
// here job 0 with a share of 1/16 and a limit of 1 h.
func TestFormerValuesOfLimitsApart(t *testing.T) {
	base := bidding.Job{ID: 1, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour}
	for _, tt := range []struct {
		name string
		job  bidding.Job
		want float64
	}{
		{"four times as wide", bidding.Job{Nodes: 4, CoresPerNode: 8, TimeLimit: time.Hour}, 4},
		{"a quarter of the time", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour / 4}, 4},
		{"waited for three limits", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour, Waited: 3 * time.Hour}, 4},
		{"wide", bidding.Job{Nodes: 8, CoresPerNode: 8, TimeLimit: time.Hour}, 27},
		{"no limit counts like the longest", bidding.Job{Nodes: 2, CoresPerNode: 8}, 2},
		{"a weight", bidding.Job{Nodes: 2, CoresPerNode: 8, TimeLimit: time.Hour, Weight: 3}, 6},
	} {
		got := auction.FormerRule().Apart.Values(auction.Snapshot{Nodes: machine.IdleNodes(16, 8, 2), Jobs: []bidding.Job{base, tt.job}})
		if got[0] != 1 || math.Abs(got[1]-tt.want) > 1e-9 {
			t.Errorf("%s: values %v, want 1 and %g", tt.name, got, tt.want)
		}
	}
}

// TestValues checks V_j of the product's rule, for limits alike and far apart, as
// TestFormerValues does.
func TestValues(t *testing.T) {
	base := bidding.Job{ID: 1, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour}
	for _, tt := range []struct {
		name         string
		job          bidding.Job
		alike, apart float64
	}{
		{"four times as wide", bidding.Job{Nodes: 4, CoresPerNode: 8, TimeLimit: time.Hour}, math.Pow(4, 1.3), math.Pow(4, 1.2)},
		{"a quarter of the time", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour / 4}, 4, 4},
		{"waited for three limits", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour, Waited: 3 * time.Hour}, 1, 4},
		{"wide", bidding.Job{Nodes: 8, CoresPerNode: 8, TimeLimit: time.Hour}, math.Pow(8, 1.3) * math.Pow(1.5, 4), math.Pow(8, 1.2) * math.Pow(1.5, 4)},
		{"wide and short", bidding.Job{Nodes: 8, CoresPerNode: 8, TimeLimit: time.Hour / 2}, math.Pow(8, 1.3) * math.Pow(1.5, 4) * 2, math.Pow(8, 1.2) * math.Pow(1.5, 4) * 2},
		{"no limit counts like the longest", bidding.Job{Nodes: 1, CoresPerNode: 8}, 1, 1},
		{"a weight", bidding.Job{Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour, Weight: 3}, 3, 3},
	} {
		s := auction.Snapshot{Nodes: machine.IdleNodes(16, 8, 2), Jobs: []bidding.Job{base, tt.job}}
		alike, apart := auction.DefaultRule().Alike.Values(s), auction.DefaultRule().Apart.Values(s)
		if math.Abs(alike[1]/alike[0]-tt.alike) > 1e-9 || math.Abs(apart[1]/apart[0]-tt.apart) > 1e-9 {
			t.Errorf("%s: alike %v, apart %v, want %g and %g", tt.name, alike, apart, tt.alike, tt.apart)
		}
	}
}

// TestRuleRises holds on both sides of the rule. A job is worth more if it asks for more of the machine or has a
// shorter limit. It is worth no less if it has waited for longer, and exactly as much more as its weight says. The
// least value is 1.
func TestRuleRises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		job := func(label string) bidding.Job {
			return bidding.Job{
				Nodes: rapid.IntRange(1, 15).Draw(rt, label+" nodes"), CoresPerNode: 8, Weight: rapid.Float64Range(0.1, 10).Draw(rt, label+" weight"),
				TimeLimit: time.Duration(rapid.IntRange(2, 1e6).Draw(rt, label+" limit")) * time.Second,
				Waited:    time.Duration(rapid.IntRange(0, 1e6).Draw(rt, label+" waited")) * time.Second,
			}
		}
		other, before := job("other"), job("job")
		side := rapid.SampledFrom([]auction.Exponents{auction.DefaultRule().Alike, auction.DefaultRule().Apart}).Draw(rt, "side")
		worth := func(j bidding.Job) float64 {
			v := side.Values(auction.Snapshot{Nodes: machine.IdleNodes(16, 8, 0), Jobs: []bidding.Job{other, j}})
			if min(v[0], v[1]) != 1 {
				rt.Fatalf("values %v, want the least to be 1", v)
			}
			return v[1] / v[0]
		}
		for _, c := range []struct {
			name     string
			change   func(j *bidding.Job)
			at, most float64
		}{
			{"a node more", func(j *bidding.Job) { j.Nodes++ }, 1 + 1e-9, math.Inf(1)},
			{"half the limit", func(j *bidding.Job) { j.TimeLimit /= 2 }, 2 - 1e-9, math.Inf(1)},
			{"an hour more of waiting", func(j *bidding.Job) { j.Waited += time.Hour }, 1 - 1e-9, math.Inf(1)},
			{"twice the weight", func(j *bidding.Job) { j.Weight *= 2 }, 2 - 1e-9, 2 + 1e-9},
		} {
			after := before
			c.change(&after)
			if by := worth(after) / worth(before); by < c.at || by > c.most {
				rt.Fatalf("%s makes %+v worth %g times as much, want %g to %g", c.name, before, by, c.at, c.most)
			}
		}
	})
}

// TestAdaptive: with limits that are alike the adaptive objective is the one by value, in which the large job wins.
// With limits far apart the short one wins, although it is small and the large one has waited as long.
func TestAdaptive(t *testing.T) {
	job := func(id, nodes int, limit time.Duration) bidding.Job {
		return bidding.Job{ID: id, Priority: float64(9 - id), Nodes: nodes, CoresPerNode: 8, TimeLimit: limit, Waited: time.Hour}
	}
	for _, tt := range []struct {
		short time.Duration
		want  int
	}{{time.Hour, 1}, {time.Minute, 2}} {
		s := auction.Snapshot{Nodes: machine.IdleNodes(16, 8, 0), Jobs: []bidding.Job{job(1, 15, time.Hour), job(2, 4, tt.short)}}
		r, err := auction.Auction(context.Background(), s,
			auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: auction.ObjectiveAdaptive}, auctiontest.Exhaustive{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Ordered) != 1 || s.Jobs[r.Ordered[0].Job].ID != tt.want {
			t.Errorf("with limits of 1h and %v %v starts, want job %d", tt.short, r.Ordered, tt.want)
		}
	}
}

// TestLimitsFarApart: the adaptive objective counts how long jobs have waited when the logarithms of the limits have
// a standard deviation above 0.75. Two limits that differ by a factor of e^1.5 = 4.48 have that. The objective by
// value never counts it.
func TestLimitsFarApart(t *testing.T) {
	for _, tt := range []struct {
		objective auction.Objective
		factor    float64
		counts    bool
	}{
		{auction.ObjectiveAdaptive, 4.4, false},
		{auction.ObjectiveAdaptive, 4.6, true},
		{auction.ObjectiveValue, 4.6, false},
	} {
		worth := func(waited time.Duration) float64 {
			s := auction.Snapshot{Nodes: machine.IdleNodes(1, 8, 0), Jobs: []bidding.Job{
				{ID: 1, Priority: 2, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Duration(tt.factor * float64(time.Hour))},
				{ID: 2, Priority: 1, Nodes: 1, CoresPerNode: 8, TimeLimit: time.Hour, Waited: waited},
			}}
			bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
			p := auction.Formulate(s, bids, tt.objective)
			return p.Objective[len(bids)-1] / p.Objective[0]
		}
		if by := worth(time.Hour) / worth(0); (by > 1) != tt.counts {
			t.Errorf("%+v: an hour of waiting makes a job worth %g times as much", tt, by)
		}
	}
}

// TestObjectives: two jobs at the head of the queue each want half of the GPUs,
// a third wants all of them. The papers' objective starts the two, whose
// priorities add up, and leaves the wide one for later; by value the wide one
// starts.
func TestObjectives(t *testing.T) {
	job := func(id, nodes int) bidding.Job {
		return bidding.Job{ID: id, Priority: float64(9 - id), Nodes: nodes, CoresPerNode: 1, GPUs: 2, TimeLimit: time.Hour}
	}
	s := auction.Snapshot{Nodes: machine.IdleNodes(8, 8, 2), Jobs: []bidding.Job{job(1, 4), job(2, 4), job(3, 8)}}
	for objective, want := range map[auction.Objective][]int{
		"": {1, 2}, auction.ObjectivePriority: {1, 2}, auction.ObjectiveValue: {3},
	} {
		r, err := auction.Auction(context.Background(), s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Objective: objective}, auctiontest.Exhaustive{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, b := range r.Ordered {
			got = append(got, s.Jobs[b.Job].ID)
		}
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("objective %q starts %v, want %v", objective, got, want)
		}
	}
}

// TestObjectiveProperties: with either objective every bid is worth something. Of two bids of a job that begin on the
// same node the preferred one is worth more (AUCSCHED equation (1): "in order to favour bids with less
// fragmentation").
func TestObjectiveProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := auctiontest.DrawSnapshot(rt, 6)
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
		for _, o := range auction.Objectives() {
			p := auction.Formulate(s, bids, o)
			for i, b := range bids {
				if v := p.Objective[i]; !(v > 0) || math.IsInf(v, 1) {
					rt.Fatalf("%s: bid %d is worth %g", o, i, v)
				}
				for k := range i {
					if bids[k].Job == b.Job && bids[k].Nodes[0] == b.Nodes[0] && bids[k].Preference > b.Preference+1e-9 && p.Objective[k] <= p.Objective[i] {
						rt.Fatalf("%s: bids %d and %d of a job, F %g and %g, worth %g and %g", o, k, i,
							bids[k].Preference, b.Preference, p.Objective[k], p.Objective[i])
					}
				}
			}
		}
	})
}

// TestWideJobsBegin: by value a wide job lies at the beginning of the machine and
// not at its end, where it is worth as much to the papers.
func TestWideJobsBegin(t *testing.T) {
	s := auction.Snapshot{Nodes: machine.IdleNodes(8, 8, 2)}
	for nodes, wide := range map[int]bool{2: false, 4: true} {
		s.Jobs = []bidding.Job{{ID: 1, Nodes: nodes, CoresPerNode: 1, GPUs: 2, TimeLimit: time.Hour}}
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
		p := auction.Formulate(s, bids, auction.ObjectiveValue)
		begin, end := -1.0, -1.0
		for i, b := range bids {
			switch {
			case b.Nodes[0] == 0:
				begin = p.Objective[i]
			case b.Nodes[nodes-1] == 7:
				end = p.Objective[i]
			}
		}
		if begin < 0 || end < 0 || (begin > end) != wide {
			t.Errorf("%d nodes: worth %g at the beginning, %g at the end", nodes, begin, end)
		}
	}
}

// run.json names a rule in a line, so that two of them are told apart.
func TestRulesInALine(t *testing.T) {
	for want, rule := range map[string]auction.Rule{
		"alike s^1.3 L^-1 wide^4, apart s^1.2 L^-1 wait^1 wide^4, drain 2": auction.DefaultRule(),
		"alike s^1.5 L(common)^-0.4 wide^5, apart s^1 L^-1 wait^1 wide^3":  auction.FormerRule(),
	} {
		if got := rule.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
