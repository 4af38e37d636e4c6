package papers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// fiveJobs are jobs of 4, 4, 4, 2 and 2 cores for four nodes of a core.
func fiveJobs(reading auction.Reading) auction.Snapshot {
	s := auction.Snapshot{Nodes: idle(4, 1, 0), Reading: reading}
	for i, cores := range []int{4, 4, 4, 2, 2} {
		s.Jobs = append(s.Jobs, bidding.Job{ID: i + 1, Priority: float64(4294901760 - i), Cores: cores})
	}
	return s
}

// TestLiteralPrioritiesAreNotRanks: "SLURM takes the first submitted job's priority to be a large number, and every
// arriving job's priority will be one less" (IPSCHED section IV). So jobs 4 and 5 have about twice the sum of job 1
// alone, and win. Ranks are 5 for job 1, and 2 + 1 for jobs 4 and 5. By size the job of 4 cores wins as well.
func TestLiteralPrioritiesAreNotRanks(t *testing.T) {
	for reading, want := range map[auction.Reading]string{
		auction.ReadLiteral: "[4 5]", auction.ReadRanks: "[1]", auction.ReadSize: "[1]", "": "[1]",
	} {
		s := fiveJobs(reading)
		for name, decide := range map[string]func() (auction.Result, error){
			"IPSCHED": func() (auction.Result, error) {
				return NewIPSCHED(DeciderOptions{Solve: exhaustive, Limit: time.Second}).Decide(t.Context(), s, 25)
			},
			"AUCSCHED": func() (auction.Result, error) {
				return NewAUCSCHED(DeciderOptions{Solve: exhaustive, Limit: time.Second, Bids: paperBids(5)}).Decide(t.Context(), s, 25)
			},
			"AUCSCHED2": func() (auction.Result, error) {
				o := auction.Options{Objective: auction.ObjectivePriority, Bids: paperBids(5), Arrange: Arrange}
				o.Bids.MaxBids = 25
				return auction.Auction(t.Context(), s, o, auctiontest.Exhaustive{})
			},
		} {
			r, err := decide()
			var ids []int
			for _, b := range r.Ordered {
				ids = append(ids, s.Jobs[b.Job].ID)
			}
			slices.Sort(ids)
			if fmt.Sprint(ids) != want || err != nil {
				t.Errorf("%s, priorities %q: jobs %v start, %v, want %s", name, reading, ids, err, want)
			}
		}
	}
}

// TestStagesAreTheSum: the stages of literal priorities end at the optimum of the papers' own sum, with
// P_j = 4294901760 - j as they are, in exact arithmetic.
func TestStagesAreTheSum(t *testing.T) {
	for seed := range uint64(1000) {
		s, objective, ranges := randomIPSCHED(seed)
		s.Weighted, s.Reading = false, auction.ReadLiteral
		for j := range s.Jobs {
			s.Jobs[j].Priority = float64(4294901760 - 3*j)
		}
		m := formulateIPSCHED(s, objective, ranges)
		found, err := newDecider(DeciderOptions{Solve: exhaustive}, ipsched{}).solve(t.Context(), m, nil, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		all, err := m.decode(found.Values)
		if err != nil {
			t.Fatal(err)
		}
		// The literal sum, times 2N, in whole numbers.
		sum := func(jobs []chosenCores) (total int) {
			for _, a := range jobs {
				factor := 1
				if objective == ByPriorityCores {
					factor = s.Jobs[a.Job].Tasks()
				}
				total += int(s.Jobs[a.Job].Priority) * factor * (2*len(s.Nodes) - len(a.Nodes))
			}
			return total
		}
		weighted := s
		weighted.Weighted = true
		_, want := exhaust(t, formulateIPSCHED(weighted, objective, ranges))
		if sum(all) != sum(want) {
			t.Fatalf("seed %d: %v is worth %d, %v is worth %d", seed, all, sum(all), want, sum(want))
		}
	}
}

// TestStagesOfAUCSCHED: the same of AUCSCHED's program, whose literal numbers are exact in float64.
func TestStagesOfAUCSCHED(t *testing.T) {
	for seed := range uint64(1000) {
		s := randomSnapshot(rand.New(rand.NewPCG(seed, 9)))
		s.Weighted, s.Reading = false, auction.ReadLiteral
		for j := range s.Jobs {
			s.Jobs[j].Priority = float64(4294901760 - 3*j)
		}
		bids := randomBids(rand.New(rand.NewPCG(seed, 10)), s)
		m := formulateAUCSCHED(s, bids)
		found, err := newDecider(DeciderOptions{Solve: exhaustive}, aucsched{}).solve(t.Context(), m, nil, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := exhaust(t, m)
		if !near(found.Objective, whole.Objective) {
			t.Fatalf("seed %d: stages end at %g, the program's optimum is %g", seed, found.Objective, whole.Objective)
		}
		weighted := s
		weighted.Weighted = true
		literal, _ := exhaust(t, formulateAUCSCHED(weighted, bids))
		value := 0.0
		for i, v := range found.Values[:len(bids)] {
			value += v * formulateAUCSCHED(weighted, bids).Program.Variables[i].Objective
		}
		if value < literal.Objective-1e-3 {
			t.Fatalf("seed %d: worth %g by the literal sum, the optimum is %g", seed, value, literal.Objective)
		}
	}
}
