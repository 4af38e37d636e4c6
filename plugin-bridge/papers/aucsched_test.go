package papers

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

func randomAuction(seed uint64) (auction.Snapshot, []bidding.Bid) {
	r := rand.New(rand.NewPCG(seed, 0))
	s := randomSnapshot(r)
	return s, randomBids(r, s)
}

// TestAUCSCHEDIsItsDefinition: the optimum of the repaired program equals choosing at most one bid of each job and
// splitting its cores at will. The literal program counts only bids that overlap no other bid of their job.
func TestAUCSCHEDIsItsDefinition(t *testing.T) {
	worse := 0
	for seed := range uint64(1500) {
		s, bids := randomAuction(seed)
		repaired, _ := exhaust(t, formulateAUCSCHED(s, bids))
		if want := bestAUCSCHED(s, bids, false); !near(repaired.Objective, want) {
			t.Fatalf("seed %d: repaired %v, want %g\n%+v\n%v", seed, repaired, want, s, bids)
		}
		literal, _ := exhaust(t, literalAUCSCHED(s, bids))
		if want := bestAUCSCHED(s, bids, true); !near(literal.Objective, want) {
			t.Fatalf("seed %d: literal %v, want %g\n%+v\n%v", seed, literal, want, s, bids)
		}
		if literal.Objective < repaired.Objective-1e-6 {
			worse++
		}
	}
	if worse < 100 {
		t.Errorf("the literal form lost something in %d instances only", worse)
	}
}

// TestAUCSCHEDLiteralThreeExample: bids on nodes 1 and 2 and on nodes 2 and 3, all free. Section 3 says: "Constraint
// 3 makes sure that the number of nodes requested by a job is allocated exactly if the corresponding bid that
// requests the nodes is selected". That is not all it does: the other bid's zero forbids node 2.
func TestAUCSCHEDLiteralThreeExample(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 2, FreeCores: 2}, {Name: "n2", Cores: 2, FreeCores: 2}, {Name: "n3", Cores: 2, FreeCores: 2}},
		Jobs:  []bidding.Job{{ID: 1, Priority: 1, Nodes: 2, Cores: 4}},
	}
	bids := []bidding.Bid{
		{Allocation: machine.Allocation{Nodes: []int{0, 1}, Cores: []int{2, 2}}, Preference: 1},
		{Allocation: machine.Allocation{Nodes: []int{1, 2}, Cores: []int{2, 2}}, Preference: 0.5},
	}
	literal, none := exhaust(t, literalAUCSCHED(s, bids))
	if literal.Objective != 0 || len(none) != 0 {
		t.Errorf("literal: %v, want that no job starts", literal)
	}
	_, all := exhaust(t, formulateAUCSCHED(s, bids))
	if len(all) != 1 || all[0].String() != "job 0 nodes 0-1 cores 2(x2) gpus 0" {
		t.Errorf("repaired: %v", all)
	}
}

// TestAUCSCHEDAndAUCSCHED2: with u and r the solver may split a bid's cores as it likes, so AUCSCHED is never worse.
// Both agree where the split is forced: one core a node, or given cores per node (8).
func TestAUCSCHEDAndAUCSCHED2(t *testing.T) {
	forced, better := 0, 0
	for seed := range uint64(3000) {
		s, bids := randomAuction(seed)
		only := true
		for _, bid := range bids {
			job := s.Jobs[bid.Job]
			only = only && (job.CoresPerNode > 0 || len(bid.Nodes) == 1 || bid.Request().Tasks == len(bid.Nodes))
		}
		one, _ := exhaust(t, formulateAUCSCHED(s, bids))
		two, _ := exhaust(t, formulateAUCSCHED2(s, bids))
		switch {
		case only:
			forced++
			if !near(one.Objective, two.Objective) {
				t.Fatalf("seed %d: %v and %v, want the same\n%+v\n%v", seed, one, two, s, bids)
			}
		case one.Objective < two.Objective-1e-9:
			t.Fatalf("seed %d: AUCSCHED %v below AUCSCHED2 %v", seed, one, two)
		case one.Objective > two.Objective+1e-6:
			better++
		}
	}
	if forced < 500 || better < 20 {
		t.Errorf("%d instances forced, %d better: too few", forced, better)
	}
}

// TestFromProblem: every selection has the same value and is feasible in both
// or in none.
func TestFromProblem(t *testing.T) {
	for seed := range uint64(300) {
		s, bids := randomAuction(seed)
		p := auction.Formulate(s, bids, auction.ObjectivePriority)
		general := fromProblem(p)
		if err := general.Validate(); err != nil {
			t.Fatal(err)
		}
		for set := range 1 << len(bids) {
			var selected []int
			point := make([]float64, len(bids))
			for i := range bids {
				if set&(1<<i) != 0 {
					selected, point[i] = append(selected, i), 1
				}
			}
			if (p.Check(selected) == nil) != (general.Check(point, 0) == nil) || p.Value(selected) != general.Value(point) {
				t.Fatalf("seed %d, columns %v: %v and %v, values %g and %g", seed, selected,
					p.Check(selected), general.Check(point, 0), p.Value(selected), general.Value(point))
			}
		}
		want, err := auctiontest.Exhaustive{}.Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := exhaust(t, formulateAUCSCHED2(s, bids)); !near(got.Objective, want.Objective) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// TestFromProblemNames: rows of nodes without names stay apart.
func TestFromProblemNames(t *testing.T) {
	p := auction.Problem{Objective: []float64{1, 1}, Rows: []auction.Constraint{
		{Kind: auction.CoresRow, Columns: []int{0}, Coefficients: []int{1}, Bound: 1}, {Kind: auction.CoresRow, Columns: []int{1}, Coefficients: []int{1}, Bound: 1},
	}}
	if err := fromProblem(p).Validate(); err != nil {
		t.Error(err)
	}
}

// TestDecodeRefuses: what a program allows by mistake, Decode does not pass on.
func TestDecodeRefuses(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 4, FreeCores: 2}, {Name: "n2", Cores: 4, FreeCores: 4}},
		Jobs:  []bidding.Job{{ID: 7, Priority: 1, Nodes: 1, Cores: 3}, {ID: 8, Nodes: 1, CoresPerNode: 2}},
	}
	m := formulateIPSCHED(s, ByPriority, nodeRanges(s))
	index := map[string]int{}
	for i, v := range m.Program.Variables {
		index[v.Name] = i
	}
	tests := []struct {
		point map[string]float64
		want  string
	}{
		{map[string]float64{"x_7_n2": 3.0000001}, ""},
		{map[string]float64{"x_7_n1": 3}, "node 0 is oversold by job 7"},
		{map[string]float64{"x_7_n2": 3, "x_8_n2": 2}, "node 1 is oversold by job 8"},
		{map[string]float64{"x_7_n2": 2}, "job 7 gets 2 cores of 3"},
		{map[string]float64{"x_7_n1": 1, "x_7_n2": 2}, "job 7 gets 2 nodes, want 1 to 1"},
		{map[string]float64{"x_8_n2": 1}, "job 8 gets 1 cores on node 1"},
	}
	for _, tt := range tests {
		values := make([]float64, len(m.Program.Variables))
		for name, v := range tt.point {
			values[index[name]] = v
		}
		_, err := m.decode(values)
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.point, err, tt.want)
		}
	}
	if _, err := m.decode(nil); err == nil || !strings.Contains(err.Error(), "0 values for") {
		t.Errorf("no values: %v", err)
	}
}

// TestStartIsAPoint: what AUCSCHED2's program selects is a point of AUCSCHED's of the same value, where u and r are
// the cores T_in of the bids. AUCSCHED2 section 2: "Tin is the number of cores on node n that is requested by bid i.
// This information is determined during bid generation phase, and it is an input to the IP solver and not a
// variable".
func TestStartIsAPoint(t *testing.T) {
	winners := 0
	for seed := range uint64(1000) {
		s, bids := randomAuction(seed)
		selection, err := auctiontest.Exhaustive{}.Solve(t.Context(), auction.Formulate(s, bids, auction.ObjectivePriority))
		if err != nil {
			t.Fatal(err)
		}
		m := formulateAUCSCHED(s, bids)
		point := m.pointOf(bids, selection.Selected)
		if err := m.Program.Check(point, 0); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := m.Program.Value(point); !near(got, selection.Objective) {
			t.Fatalf("seed %d: value %g, AUCSCHED2's selection has %g", seed, got, selection.Objective)
		}
		winners += len(selection.Selected)
	}
	if winners < 500 {
		t.Errorf("%d winners in 1000 auctions", winners)
	}
}
