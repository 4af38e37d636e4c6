package papers

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// TestKnapsackIsTheProgram: what a knapsack proves is the optimum of IPSCHED's program by exhaustion, under all
// readings, and what it does not prove is a point of it. It proves most snapshots.
func TestKnapsackIsTheProgram(t *testing.T) {
	proven, better := 0, 0
	for seed := range uint64(3000) {
		s, objective, ranges := randomIPSCHED(seed)
		s.Reading = auction.Readings()[seed%3]
		m := formulateIPSCHED(s, objective, ranges)
		want, _ := exhaust(t, m)
		d := knapsack(s, worthOf(s, objective, len(s.Nodes)), ranges)
		if err := verify(s, ranges, d.all); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		value := 0.0
		for _, a := range d.all {
			value += a.Value
		}
		switch {
		case d.proven && !near(value, want.Objective), value > want.Objective*(1+1e-9):
			t.Fatalf("seed %d: %v is worth %g, want %g\n%+v %s %+v", seed, d.all, value, want.Objective, s, objective, ranges)
		case d.proven:
			proven++
		case value > 0:
			better++
		}
	}
	if proven < 1500 || better < 100 {
		t.Errorf("%d of 3000 proven, %d points of others: too few", proven, better)
	}
}

// TestCutsAreTheProgram: AUCSCHED's program without u and r has the same optimum as with them, by exhaustion, and some
// snapshots need rows of sets of nodes.
func TestCutsAreTheProgram(t *testing.T) {
	added, better := 0, 0
	for seed := range uint64(3000) {
		s, bids := randomAuction(seed)
		s.Reading = auction.Readings()[seed%3]
		want, _ := exhaust(t, formulateAUCSCHED(s, bids))
		c := newCuts(s, bids)
		before := len(c.problem.Rows)
		// With and without the rows that quick selections violate.
		var quick Select
		if seed%2 == 1 {
			quick = func(_ context.Context, p auction.Problem) auction.Assignment {
				return packing.Quick(p, packing.QuickLimits())
			}
		}
		d, err := c.solve(t.Context(), auctiontest.Exhaustive{}, quick)
		if err != nil || !d.proven {
			t.Fatalf("seed %d: %+v, %v", seed, d, err)
		}
		if err = verify(s, nodeRanges(s), d.all); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		value := 0.0
		for _, a := range d.all {
			value += a.Value
		}
		if !near(value, want.Objective) {
			t.Fatalf("seed %d: %v is worth %g, want %g\n%+v\n%v", seed, d.all, value, want.Objective, s, bids)
		}
		if len(c.problem.Rows) > before {
			added++
		}
		if two, _ := exhaust(t, formulateAUCSCHED2(s, bids)); value > two.Objective+1e-6 {
			better++
		}
	}
	if added < 5 || better < 20 {
		t.Errorf("%d of 3000 with rows of sets, %d above AUCSCHED2: too few", added, better)
	}
}

// TestDirectDecidesAlike: a decision without the program starts jobs of the same worth as the program's.
func TestDirectDecidesAlike(t *testing.T) {
	for seed := range uint64(500) {
		s := randomSnapshot(rand.New(rand.NewPCG(seed, 30)))
		s.Reading = auction.Readings()[seed%3]
		for name, of := range map[string]func(DeciderOptions) *Decider{"ipsched": NewIPSCHED, "aucsched": NewAUCSCHED} {
			o := DeciderOptions{Solve: exhaustive, Limit: time.Minute, Bids: paperBids(5)}
			want, err := of(o).Decide(t.Context(), s, 20)
			if err != nil {
				t.Fatal(err)
			}
			o.Pack, o.Keep = packing.QuickSolver{}, true
			decider := of(o)
			got, err := decider.Decide(t.Context(), s, 20)
			if err != nil || !near(got.Assignment.Objective, want.Assignment.Objective) {
				t.Fatalf("%s, seed %d: %+v, %v, want the objective %g", name, seed, got, err, want.Assignment.Objective)
			}
			play(t, s, got)
			if len(decider.Program().Variables) == 0 && want.Size.Columns > 0 {
				t.Fatalf("%s, seed %d: no program is kept", name, seed)
			}
		}
	}
}
