//go:build highs && cgo

package papers

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
)

func solveHiGHS(t testing.TB, m model) (program.Solution, []chosenCores) {
	t.Helper()
	found, err := highs.Engine{}.SolveProgram(m.Program, time.Minute, highs.Guide{})
	if err != nil {
		t.Fatal(err)
	}
	if found.Values == nil {
		return found, nil
	}
	all, err := m.decode(found.Values)
	if err != nil {
		t.Fatal(err)
	}
	return found, all
}

// TestHiGHSEqualsExhaustive: thousands of small instances of each formulation.
func TestHiGHSEqualsExhaustive(t *testing.T) {
	tests := []struct {
		name string
		draw func(seed uint64) model
	}{
		{"IPSCHED", func(seed uint64) model { return formulateIPSCHED(randomIPSCHED(seed)) }},
		{"IPSCHED literal", func(seed uint64) model {
			return literalIPSCHED(randomIPSCHED(seed))
		}},
		{"AUCSCHED", func(seed uint64) model {
			s, bids := randomAuction(seed)
			return formulateAUCSCHED(s, bids)
		}},
		{"AUCSCHED literal", func(seed uint64) model {
			s, bids := randomAuction(seed)
			return literalAUCSCHED(s, bids)
		}},
		{"AUCSCHED2", func(seed uint64) model { return formulateAUCSCHED2(randomAuction(seed)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(2000) {
				m := tt.draw(10_000 + seed)
				want, _ := exhaust(t, m)
				got, _ := solveHiGHS(t, m)
				if got.Status != want.Status || !near(got.Objective, want.Objective) {
					t.Fatalf("seed %d: HiGHS has %+v, want %+v\n%+v", seed, got, want, m.Program)
				}
				if got.Status == program.StatusOptimal && !near(got.Bound, want.Objective) {
					t.Fatalf("seed %d: bound %g of the optimum %g", seed, got.Bound, want.Objective)
				}
			}
		})
	}
}

func blocks(sizes ...int) []machine.Node {
	var nodes []machine.Node
	for i, size := range sizes {
		for range size {
			n := machine.Node{Name: fmt.Sprintf("n%d", len(nodes)+1), Cores: 8, GPUs: 2}
			if i%2 == 0 {
				n.FreeCores, n.FreeGPUs = 8, 2
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// TestIPSCHEDTableI: "This can be done by assigning 512 nodes with 4 cores and 2 GPUs to each of jobs J2 and J3 and
// 1024 nodes with 4 cores to J1" (IPSCHED section I). The free node counts of J1 leave other splits of its cores.
func TestIPSCHEDTableI(t *testing.T) {
	s := auction.Snapshot{Nodes: blocks(1024), Jobs: []bidding.Job{
		{ID: 1, Priority: 3, Cores: 4096},
		{ID: 2, Priority: 2, Nodes: 512, Cores: 2048, GPUs: 2},
		{ID: 3, Priority: 1, Nodes: 512, Cores: 2048, GPUs: 2},
	}}
	for _, objective := range []Objective{ByPriority, ByPriorityCores} {
		found, all := solveHiGHS(t, formulateIPSCHED(s, objective, nodeRanges(s)))
		t.Log(found.Status, found.Objective, found.Bound)
		if found.Status != program.StatusOptimal || len(all) != 3 {
			t.Errorf("%s: %v, %v: want that all three jobs start", objective, found.Status, all)
		}
	}
}

// TestAUCSCHEDFigures3To5: "bids b4, b5, b8 and b11 win the auction". So all four jobs start: J1 on both blocks, J2
// on one, J3 on the other, J4 on both (AUCSCHED section 5), and Slurm can be asked for them. J1's only bid that can
// win with them, on both blocks, has a split that AUCSCHED2 cannot change and u and r do.
func TestAUCSCHEDFigures3To5(t *testing.T) {
	s := auction.Snapshot{Nodes: blocks(64, 16, 64), Jobs: []bidding.Job{
		{ID: 1, Priority: 4, Cores: 512},
		{ID: 2, Priority: 3, Nodes: 64, CoresPerNode: 2, GPUs: 1},
		{ID: 3, Priority: 2, Nodes: 64, CoresPerNode: 4, GPUs: 2},
		{ID: 4, Priority: 1, Nodes: 128, CoresPerNode: 1},
	}}
	for name, o := range map[string]bidding.BidOptions{"our bids": auctiontest.AllKinds(bidding.BidOptions{}), "the papers' bids": paperBids(4)} {
		t.Run(name, func(t *testing.T) {
			bids, _ := s.Bids(o)
			found, all := solveHiGHS(t, formulateAUCSCHED(s, bids))
			if found.Status != program.StatusOptimal || len(all) != 4 {
				t.Fatalf("AUCSCHED: %v, %v: want that all four jobs start", found.Status, all)
			}
			both := machine.Ranges(slices.Concat(all[1].Nodes, all[2].Nodes))
			if got := machine.Ranges(all[0].Nodes); got != "0-63,80-143" || machine.Ranges(all[3].Nodes) != got {
				t.Errorf("J1 on %s, J4 on %s: want both blocks", got, machine.Ranges(all[3].Nodes))
			}
			if both != "0-63,80-143" && both != "80-143,0-63" {
				t.Errorf("J2 and J3 on %s: want one block each", both)
			}
			if realised := (aucsched{options: o}).realise(s, bids, all); len(realised.ordered) != 4 {
				t.Errorf("%+v: want that Slurm can be asked for all four", realised)
			}
			if found, all := solveHiGHS(t, formulateAUCSCHED2(s, bids)); len(all) == 4 {
				t.Errorf("AUCSCHED2 starts all four as well (%v): the example does not tell them apart", found)
			}
		})
	}
}

// BenchmarkFormulations solves one middle instance: 16 nodes, 8 jobs.
func BenchmarkFormulations(b *testing.B) {
	s := auction.Snapshot{Nodes: blocks(6, 2, 8)}
	for i := range 8 {
		s.Jobs = append(s.Jobs, bidding.Job{ID: i + 1, Priority: float64(-i), Cores: 8 + 3*i, GPUs: i % 2})
	}
	bids, _ := s.Generator(auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 5})).Bids()
	for _, m := range []model{formulateIPSCHED(s, ByPriority, nodeRanges(s)), formulateAUCSCHED(s, bids), formulateAUCSCHED2(s, bids)} {
		b.Run(m.Program.Name, func(b *testing.B) {
			for b.Loop() {
				if found, _ := solveHiGHS(b, m); found.Status != program.StatusOptimal {
					b.Fatalf("status %s", found.Status)
				}
			}
			b.ReportMetric(float64(len(m.Program.Variables)), "variables")
			b.ReportMetric(float64(len(m.Program.Rows)), "rows")
		})
	}
}
