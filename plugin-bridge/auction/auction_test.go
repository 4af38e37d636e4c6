package auction_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// checkOrder plays an order through. Every layout is the placement rule applied to what is left, whatever running
// jobs end meanwhile (but for class R), and no node gives more than it has.
func checkOrder(t *rapid.T, s auction.Snapshot, ordered []bidding.Bid) {
	left := slices.Clone(s.Nodes)
	ended := slices.Clone(s.Nodes)
	for i := range ended {
		ended[i].FreeCores = ended[i].Cores
	}
	jobs := map[int]bool{}
	last := false
	for _, b := range ordered {
		if jobs[b.Job] {
			t.Fatalf("job %d wins twice", s.Jobs[b.Job].ID)
		}
		jobs[b.Job] = true
		if b.Class != bidding.ClassR && last {
			t.Fatalf("%v after a class R bid", b)
		}
		last = b.Class == bidding.ClassR
		for _, state := range [][]machine.Node{left, ended} {
			if b.Exclusive {
				for _, n := range b.Nodes {
					if left[n].FreeCores != left[n].Cores || left[n].FreeGPUs != left[n].GPUs {
						t.Fatalf("%v shares node %d", b, n)
					}
				}
				continue
			}
			if last && &state[0] == &ended[0] {
				continue
			}
			free, _ := auctiontest.FreeOf(state, b)
			if cores, err := machine.Place(free, b.Request()); err != nil || !slices.Equal(cores, b.Cores) {
				t.Fatalf("%v gets %v, %v on %v", b, cores, err, free)
			}
		}
		for i, n := range b.Nodes {
			left[n].FreeCores -= b.Cores[i]
			ended[n].FreeCores -= b.Cores[i]
			left[n].FreeGPUs -= b.GPUs
			left[n].FreeMemory -= auctiontest.MemoryOf(s, b, i)
			if left[n].FreeCores < 0 || left[n].FreeGPUs < 0 || left[n].FreeMemory < 0 {
				t.Fatalf("node %d is oversold: %+v", n, left[n])
			}
		}
	}
}

// shared makes bids of class R also on nodes where jobs run, as if these would never end.
func shared(s auction.Snapshot) *bidding.Generator {
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		s.Nodes[i].Cores = s.Nodes[i].FreeCores
	}
	return s.Generator(auctiontest.AllKinds(bidding.BidOptions{}))
}

// TestOrderProperties gives Order any winners, even ones that conflict.
func TestOrderProperties(t *testing.T) {
	deferrals := 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 8)
		bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{})).Bids()
		var winners []bidding.Bid
		for _, b := range append(bids, shared(s).Remainders(bids, nil)...) {
			taken := slices.ContainsFunc(winners, func(w bidding.Bid) bool { return w.Job == b.Job })
			if !taken && auctiontest.Between(0, 3).Draw(t, "win") == 0 {
				winners = append(winners, b)
			}
		}
		ordered, deferred := auction.Order(s, winners)
		checkOrder(t, s, ordered)
		if len(ordered)+len(deferred) != len(winners) {
			t.Fatalf("%d ordered and %d deferred of %d", len(ordered), len(deferred), len(winners))
		}
		for _, d := range deferred {
			deferrals++
			if d.Reason == "" {
				t.Fatalf("%v deferred without a reason", d.Bid)
			}
		}
	})
	if deferrals == 0 {
		t.Error("nothing was ever deferred")
	}
}

func TestAuctionProperties(t *testing.T) {
	winners, deferred := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := auctiontest.DrawSnapshot(t, 6)
		o := auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 6})}
		r, err := auction.Auction(context.Background(), s, o, auctiontest.Exhaustive{})
		if err != nil {
			t.Fatal(err)
		}
		checkOrder(t, s, r.Ordered)
		for _, b := range r.Bids {
			auctiontest.CheckBid(t, s, b)
		}
		held := 0
		for _, b := range r.Ordered {
			for _, l := range s.Jobs[b.Job].Options.Licences {
				held += l.Count
			}
		}
		if held > s.Licences[0].Count {
			t.Fatalf("the winners hold %d licences of %d", held, s.Licences[0].Count)
		}
		winners += len(r.Ordered)
		deferred += len(r.Deferred)
		if len(r.Ordered)+len(r.Deferred) != len(r.Assignment.Selected) {
			t.Fatalf("%d winners: %d ordered, %d deferred", len(r.Assignment.Selected), len(r.Ordered), len(r.Deferred))
		}
		if err = r.Problem.Check(r.Assignment.Selected); err != nil {
			t.Fatal(err)
		}
		again, err := auction.Auction(context.Background(), s, o, auctiontest.Exhaustive{})
		if err != nil || auctiontest.Describe(s, again) != auctiontest.Describe(s, r) {
			t.Fatalf("%v\nthen (%v)\n%v", auctiontest.Describe(s, r), err, auctiontest.Describe(s, again))
		}
	})
	if deferred*20 > winners {
		t.Errorf("%d of %d winners deferred: bids are generated that cannot be started", deferred, winners)
	}
	t.Logf("%d winners, %d deferred", winners, deferred)
}

// lyingSolver claims that everything can be selected.
type lyingSolver struct{}

func (lyingSolver) Solve(_ context.Context, p auction.Problem) (auction.Assignment, error) {
	var a auction.Assignment
	for i := range p.Objective {
		a.Selected = append(a.Selected, i)
	}
	return a, nil
}

func TestAuctionDoesNotTrustTheSolver(t *testing.T) {
	s := auctiontest.Big()
	_, err := auction.Auction(context.Background(), s, auctiontest.Options(), lyingSolver{})
	if err == nil || !strings.Contains(err.Error(), "solve rigid jobs: check selection: row (2) job") {
		t.Errorf("error %v, want one that names the violated row", err)
	}
}

// failing is Greedy with a cause for each of its solutions.
type failing struct{ causes []string }

func (f *failing) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	a, err := auctiontest.Greedy{}.Solve(ctx, p)
	a.Cause, f.causes = f.causes[0], f.causes[1:]
	return a, err
}

// TestCausesOfBothRoundsAreKept: a solver that is lost also in the first round is reported.
func TestCausesOfBothRoundsAreKept(t *testing.T) {
	for _, c := range []struct{ rigid, final, want string }{
		{"", "", ""},
		{"", "exit status 3", "exit status 3"},
		{"exit status 3", "", "round of the rigid jobs: exit status 3"},
		{"exit status 3", "killed", "round of the rigid jobs: exit status 3; killed"},
	} {
		s := auctiontest.Big()
		s.Jobs = s.Jobs[:8]
		r, err := auction.Auction(t.Context(), s, auctiontest.Options(), &failing{[]string{c.rigid, c.final}})
		if err != nil || r.Assignment.Cause != c.want {
			t.Errorf("cause %q, want %q, %v", r.Assignment.Cause, c.want, err)
		}
	}
}

func TestAuctionMeasuresPhases(t *testing.T) {
	s := auctiontest.Big()
	s.Jobs = s.Jobs[:8]
	now := time.Duration(0)
	clock := func() time.Duration { now += time.Millisecond; return now }
	r, err := auction.Auction(context.Background(), s, auction.Options{Bids: auctiontest.AllKinds(bidding.BidOptions{}), Clock: clock}, auctiontest.Greedy{})
	if err != nil {
		t.Fatal(err)
	}
	// Five laps: bids, rigid round, class R bids, full program, order.
	want := auction.Phases{Bids: 2 * time.Millisecond, Solve: 2 * time.Millisecond, Order: time.Millisecond}
	if r.Phases != want {
		t.Errorf("phases %+v, want %+v", r.Phases, want)
	}
	if r.RigidStatus != program.StatusGreedy {
		t.Errorf("rigid round has status %q", r.RigidStatus)
	}
}

func TestAuctionOfNothing(t *testing.T) {
	snapshots := map[string]auction.Snapshot{
		"no nodes, no jobs": {},
		"no jobs":           {Nodes: []machine.Node{{Name: "n1", Cores: 8, FreeCores: 8}}},
		"no nodes":          {Jobs: []bidding.Job{{ID: 1, Cores: 4}}},
		"no room":           {Nodes: []machine.Node{{Name: "n1", Cores: 8}}, Jobs: []bidding.Job{{ID: 1, Cores: 4}}},
		"a job larger than the machine": {
			Nodes: []machine.Node{{Name: "n1", Cores: 8, FreeCores: 8}},
			Jobs:  []bidding.Job{{ID: 1, Cores: 9}, {ID: 2, Nodes: 2, Cores: 2}, {ID: 3, Nodes: 1, CoresPerNode: 9}, {ID: 4, Nodes: 1, Cores: 1, GPUs: 1}},
		},
	}
	for name, s := range snapshots {
		t.Run(name, func(t *testing.T) {
			for _, solver := range []auction.Solver{auctiontest.Exhaustive{}, auctiontest.Greedy{}} {
				r, err := auction.Auction(context.Background(), s, auctiontest.Options(), solver)
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Bids)+len(r.Ordered)+r.Dropped != 0 || r.Assignment.Gap() != 0 {
					t.Errorf("%T: %s", solver, auctiontest.Describe(s, r))
				}
			}
		})
	}
}

func TestValidateListsAllFaults(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 8, FreeCores: 9}, {Name: "n2", Cores: 8, FreeCores: 8}},
		Jobs: []bidding.Job{
			{ID: 1, Priority: 1, Nodes: 4, Cores: 3},
			{ID: 2, Priority: 2, Cores: 4},
			{ID: 2, Priority: 1, Cores: -4},
			{ID: 3, Priority: 1, Nodes: 2},
			{ID: 4, Priority: 1, Nodes: 2, CoresPerNode: 4, Cores: 9},
			{ID: 5, Priority: 1, CoresPerNode: 4, Cores: 9},
			{ID: 6, Priority: math.NaN(), Cores: 9},
		},
	}
	_, err := auction.Auction(context.Background(), s, auctiontest.Options(), auctiontest.Exhaustive{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"check snapshot: ",
		"check node n1: 9 free cores, allowed are 0 to its total of 8",
		"check job 1: 3 cores on 4 nodes, allowed is at least one core per node",
		"check job 2: priority 2 above 1 of job 1 before it, allowed is falling order",
		"check job 2: cores -4, nodes 0, cores per node 0, GPUs 0: none may be negative",
		"check job 2: it is in the window twice",
		"check job 3: no cores asked for, allowed is at least 1",
		"check job 4: 9 cores on 2 nodes with 4 cores per node, allowed is 8 or 0 (not given)",
		"check job 5: 9 cores with 4 cores per node and no nodes, allowed are multiples of 4 above 0",
		"check job 6: priority is not a number",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault %q in:\n%v", want, err)
		}
	}
	if errors.Is(err, context.Canceled) {
		t.Error("a fault of the snapshot is taken for a cancellation")
	}
}

// TestRanks: ranks from the end of the window, ties kept equal, the least 1.
func TestRanks(t *testing.T) {
	tests := []struct {
		name       string
		priorities []float64
		want       []float64
	}{
		{"distinct", []float64{900, 50, 7}, []float64{3, 2, 1}},
		{"Slurm's basic priorities", []float64{4294901760, 4294901759, 4294901758}, []float64{3, 2, 1}},
		{"a tie", []float64{9, 5, 5, 1}, []float64{4, 2, 2, 1}},
		{"all equal", []float64{5, 5, 5}, []float64{1, 1, 1}},
		{"zero and negative", []float64{0, -1}, []float64{2, 1}},
		{"empty", nil, []float64{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var jobs []bidding.Job
			for _, p := range tt.priorities {
				jobs = append(jobs, bidding.Job{Priority: p})
			}
			if got := auction.Ranks(jobs); !slices.Equal(got, tt.want) {
				t.Errorf("Ranks = %v, want %v", got, tt.want)
			}
		})
	}
}

// IPSCHED's multifactor priorities are p_j themselves: "our plug-in does not
// change these values, but only collects them" (section IV).
func TestWeighted(t *testing.T) {
	s := auction.Snapshot{Weighted: true, Jobs: []bidding.Job{{ID: 1, Priority: 5040, Cores: 1}, {ID: 2, Priority: 162, Cores: 1}, {ID: 3, Priority: 162, Cores: 1}}}
	if got := s.Priorities(); !slices.Equal(got, []float64{5040, 162, 162}) {
		t.Errorf("Priorities = %v", got)
	}
	s.Jobs[2].Priority = 0.5
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "check job 3: priority 0.5, allowed are whole numbers from 1") {
		t.Error(err)
	}
}

// TestReadings: P_j of five jobs, of which the third has started already. Under priority/basic literal priorities
// order sums as 4294901760 - j does.
func TestReadings(t *testing.T) {
	basic := []bidding.Job{{ID: 1, Priority: 4294901759, Cores: 4}, {ID: 2, Priority: 4294901758, Cores: 4}, {ID: 4, Priority: 4294901756, Cores: 2}, {ID: 5, Priority: 4294901755, Nodes: 1, CoresPerNode: 2}}
	weighted := []bidding.Job{{ID: 1, Priority: 70, Cores: 4}, {ID: 2, Priority: 7, Cores: 2}}
	for _, tt := range []struct {
		name string
		s    auction.Snapshot
		want []float64
	}{
		{"no reading", auction.Snapshot{Jobs: basic}, []float64{4, 3, 2, 1}},
		{"ranks", auction.Snapshot{Jobs: basic, Reading: auction.ReadRanks}, []float64{4, 3, 2, 1}},
		// The last two are behind by 3 + 4, the first one by 0, so that a job is worth more than 7 = 4 + 3 - 0.
		{"literal", auction.Snapshot{Jobs: basic, Reading: auction.ReadLiteral}, []float64{8, 7, 5, 4}},
		{"size", auction.Snapshot{Jobs: basic, Reading: auction.ReadSize}, []float64{16, 12, 4, 2}},
		{"multifactor ranks", auction.Snapshot{Jobs: weighted, Weighted: true, Reading: auction.ReadRanks}, []float64{70, 7}},
		{"multifactor literal", auction.Snapshot{Jobs: weighted, Weighted: true, Reading: auction.ReadLiteral}, []float64{70, 7}},
		{"multifactor size", auction.Snapshot{Jobs: weighted, Weighted: true, Reading: auction.ReadSize}, []float64{280, 14}},
		{"no jobs", auction.Snapshot{Reading: auction.ReadLiteral}, []float64{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.Priorities(); !slices.Equal(got, tt.want) {
				t.Errorf("Priorities = %v, want %v", got, tt.want)
			}
		})
	}
}

// TestLiteralOrdersSums: P_j of priority/basic are 4294901760 less the number of jobs submitted before. Literal
// priorities order all selections as these numbers do.
func TestLiteralOrdersSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := auction.Snapshot{Reading: auction.ReadLiteral}
		submitted := 0
		for id := range auctiontest.Between(0, 7).Draw(t, "jobs") {
			submitted += auctiontest.Between(1, 40).Draw(t, "gap")
			s.Jobs = append(s.Jobs, bidding.Job{ID: id + 1, Priority: float64(4294901760 - submitted)})
		}
		ours := s.Priorities()
		sum := func(set int, p func(i int) float64) (all float64) {
			for i := range s.Jobs {
				if set&(1<<i) != 0 {
					all += p(i)
				}
			}
			return all
		}
		for x := range 1 << len(s.Jobs) {
			for y := range 1 << len(s.Jobs) {
				of := func(p func(i int) float64) int { return cmp.Compare(sum(x, p), sum(y, p)) }
				if got, want := of(func(i int) float64 { return ours[i] }), of(func(i int) float64 { return s.Jobs[i].Priority }); got != want {
					t.Fatalf("%v: jobs %b and %b compare as %d by %v, want %d", s.Jobs, x, y, got, ours, want)
				}
			}
		}
	})
}
