package papers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// paperBids are the options of the policies auction1 and auction2.
func paperBids(perJob int) bidding.BidOptions {
	return bidding.BidOptions{Papers: true, SlurmBids: true, MaxBidsPerJob: perJob}
}

// TestArrange: what becomes of winners whose T_in Slurm does not give for sure.
func TestArrange(t *testing.T) {
	bid := func(job int, class bidding.Class, cores ...int) bidding.Bid {
		b := bidding.Bid{Job: job, Class: class, Preference: 0.5}
		for n, c := range cores {
			if c > 0 {
				b.Nodes, b.Cores = append(b.Nodes, n), append(b.Cores, c)
			}
		}
		return b
	}
	tests := []struct {
		name       string
		free       []int
		jobs       []bidding.Job
		winners    []bidding.Bid
		ordered    string
		deferred   int
		rearranged int
	}{
		{
			"on idle nodes the cores are sure", []int{8, 8},
			[]bidding.Job{{Cores: 10}}, []bidding.Bid{bid(0, bidding.ClassA, 8, 2)}, "A 8,2", 0, 0,
		},
		{
			"a running job on the first node may end, so that the cores are those of class R", []int{3, 8},
			[]bidding.Job{{Cores: 10}}, []bidding.Bid{bid(0, bidding.ClassA, 3, 7)}, "R 3,7", 0, 0,
		},
		{
			"as many cores on each node are sure, and worth as much", []int{5, 8},
			[]bidding.Job{{Cores: 10}}, []bidding.Bid{bid(0, bidding.ClassA, 5, 5)}, "A 5(x2)", 0, 0,
		},
		{
			"a SLURM bid that was made behind another one, which has not won", []int{8, 8},
			[]bidding.Job{{Cores: 11}}, []bidding.Bid{bid(0, bidding.ClassSlurm, 3, 8)}, "S 6,5", 0, 1,
		},
		{
			"the same, but another winner needs what Slurm would take", []int{8, 8},
			[]bidding.Job{{Cores: 11, Priority: 2}, {Cores: 5, Priority: 1}},
			[]bidding.Bid{bid(0, bidding.ClassSlurm, 3, 8), bid(1, bidding.ClassA, 5)}, "A 5; S 3,8", 0, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := auction.Snapshot{Jobs: tt.jobs, Nodes: idle(len(tt.free), 8, 0)}
			for i, c := range tt.free {
				s.Nodes[i].FreeCores = c
			}
			for i := range s.Jobs {
				s.Jobs[i].ID = i + 1
			}
			a := Arrange(s, tt.winners)
			var text string
			for i, b := range a.Ordered {
				if i > 0 {
					text += "; "
				}
				text += b.Class.String() + " " + machine.RunLength(b.Cores)
				if b.Preference != 0.5 {
					t.Errorf("%v has lost its preference", b)
				}
			}
			if text != tt.ordered || len(a.Deferred) != tt.deferred || a.Rearranged != tt.rearranged {
				t.Errorf("%s, deferred %v, %d rearranged; want %s, %d, %d", text, a.Deferred, a.Rearranged, tt.ordered, tt.deferred, tt.rearranged)
			}
		})
	}
}

// TestArrangeProperties: each winning bid of AUCSCHED2's program is released on its own nodes with its own number of
// cores, or deferred with a reason. Played through, Slurm's rule gives each the cores planned. What starts is worth
// no less than by auction.Order.
func TestArrangeProperties(t *testing.T) {
	classes := map[bidding.Class]int{}
	// A hundred draws have about five bids of class C, and one time in a hundred none.
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			arranged(t, classes)
		}
	})
	for _, c := range []bidding.Class{bidding.ClassA, bidding.ClassC, bidding.ClassR, bidding.ClassSlurm} {
		if classes[c] == 0 {
			t.Errorf("no bid of class %v was released", c)
		}
	}
}

// arranged checks one drawn window, and counts the classes of what was released.
func arranged(t *rapid.T, classes map[bidding.Class]int) {
	s := auctiontest.DrawSnapshot(t, 5)
	o := auction.Options{Bids: paperBids(3), Arrange: Arrange}
	r, err := auction.Auction(t.Context(), s, o, auctiontest.Exhaustive{})
	if err != nil {
		t.Fatal(err)
	}
	winners := make(map[int]bidding.Bid)
	var all []bidding.Bid
	for _, i := range r.Assignment.Selected {
		winners[r.Bids[i].Job] = r.Bids[i]
		all = append(all, r.Bids[i])
	}
	if len(r.Ordered)+len(r.Deferred) != len(winners) {
		t.Fatalf("%d released and %d deferred of %d", len(r.Ordered), len(r.Deferred), len(winners))
	}
	starts := machine.NewSequence(s.Nodes)
	for _, b := range r.Ordered {
		w := winners[b.Job]
		classes[b.Class]++
		if !slices.Equal(b.Nodes, w.Nodes) || b.TotalCores() != w.TotalCores() || b.GPUs != w.GPUs || b.Alternative != w.Alternative || b.Preference != w.Preference {
			t.Fatalf("%v released for %v", b, w)
		}
		if !machine.Fits(starts.Left(), b.Allocation) {
			t.Fatalf("%v oversells", b)
		}
		if !b.Exclusive {
			cores, err := starts.Place(b.Nodes, b.Request())
			if err != nil || !slices.Equal(cores, b.Cores) {
				t.Fatalf("%v: Slurm gives %v, %v", b, cores, err)
			}
			if b.Class != bidding.ClassR && !starts.Stable(b.Nodes, b.Request()) {
				t.Fatalf("%v is not of class R and would change if a job ended", b)
			}
		}
		starts.Take(b.Allocation, b.Class != bidding.ClassR)
	}
	for _, d := range r.Deferred {
		if d.Reason == "" || !d.Bid.Same(winners[d.Bid.Job]) {
			t.Fatalf("deferred %v for %q", d.Bid, d.Reason)
		}
	}
	plain, _ := auction.Order(s, all)
	if p := s.Priorities(); value(p, r.Ordered) < value(p, plain) {
		t.Fatalf("%v starts, %v by Order", r.Ordered, plain)
	}
}

// TestPaperBidsInBothPrograms: with the papers' bids the program of AUCSCHED has the optimum that its section 3 says
// in words. That is never less than the optimum of AUCSCHED2, whose T_in is one of the layouts that u and r allow.
func TestPaperBidsInBothPrograms(t *testing.T) {
	ragged, better := 0, 0
	for seed := range uint64(300) {
		s := randomSnapshot(rand.New(rand.NewPCG(seed, 17)))
		bids, _ := s.Bids(paperBids(2))
		first, _ := exhaust(t, formulateAUCSCHED(s, bids))
		second, _ := exhaust(t, formulateAUCSCHED2(s, bids))
		if want := bestAUCSCHED(s, bids, false); !near(first.Objective, want) {
			t.Fatalf("seed %d: AUCSCHED's program has %g, its words %g", seed, first.Objective, want)
		}
		if second.Objective > first.Objective+1e-9 {
			t.Fatalf("seed %d: AUCSCHED2 has %g, AUCSCHED %g", seed, second.Objective, first.Objective)
		}
		if second.Objective < first.Objective-1e-9 {
			better++
		}
		if slices.ContainsFunc(bids, func(b bidding.Bid) bool { return slices.Max(b.Cores)-slices.Min(b.Cores) > 1 }) {
			ragged++
		}
	}
	if ragged < 20 || better == 0 {
		t.Errorf("%d windows with bids on ragged nodes, %d where u and r start more: the instances show nothing", ragged, better)
	}
}
