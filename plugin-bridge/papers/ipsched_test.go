package papers

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// TestIPSCHEDSize checks IPSCHED Tables II and III: 2M(1+N) variables, and N, M,
// N, M and 2MN rows (1), (2), (3), (4) and (6). Table III has 2N rows (5), but
// the equation is "for all j": they are 2M.
func TestIPSCHEDSize(t *testing.T) {
	for _, size := range []struct{ jobs, nodes int }{{1, 1}, {3, 5}, {20, 30}} {
		var s auction.Snapshot
		for i := range size.nodes {
			s.Nodes = append(s.Nodes, machine.Node{Name: fmt.Sprintf("n%d", i), Cores: 8, GPUs: 2, FreeCores: 8, FreeGPUs: 2})
		}
		for i := range size.jobs {
			s.Jobs = append(s.Jobs, bidding.Job{ID: i, Priority: float64(-i), Cores: 4, GPUs: 1})
		}
		p := formulateIPSCHED(s, ByPriority, nodeRanges(s)).Program
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		if got, want := len(p.Variables), 2*size.jobs*(1+size.nodes); got != want {
			t.Errorf("%v: %d variables, want %d", size, got, want)
		}
		rows := map[string]int{}
		for _, r := range p.Rows {
			rows[r.Name[:3]]++
		}
		m, n := size.jobs, size.nodes
		want := map[string]int{"(1)": n, "(2)": m, "(3)": n, "(4)": m, "(5)": 2 * m, "(6)": 2 * m * n}
		if fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Errorf("%v: rows %v, want %v", size, rows, want)
		}
	}
}

// TestIPSCHEDIsItsDefinition: the optimum of the program is the best of all ways
// to start jobs that section III allows, for both objectives of Table IV and any
// node ranges.
func TestIPSCHEDIsItsDefinition(t *testing.T) {
	for seed := range uint64(1500) {
		s, objective, ranges := randomIPSCHED(seed)
		got, _ := exhaust(t, formulateIPSCHED(s, objective, ranges))
		want, _ := bestIPSCHED(s, objective, ranges, false)
		if got.Status != program.StatusOptimal || !near(got.Objective, want) {
			t.Fatalf("seed %d: %v, want %g\n%+v %s %+v", seed, got, want, s, objective, ranges)
		}
	}
}

// TestIPSCHEDStartsNone: where the model says that no job can start, its program starts none. It says so of most
// snapshots of which this is true.
func TestIPSCHEDStartsNone(t *testing.T) {
	said, idle := 0, 0
	for seed := range uint64(1500) {
		s, objective, ranges := randomIPSCHED(seed)
		m := formulateIPSCHED(s, objective, ranges)
		_, all := exhaust(t, m)
		switch {
		case m.startsNone && len(all) > 0:
			t.Fatalf("seed %d: %v starts, want none\n%+v %+v", seed, all, s, ranges)
		case m.startsNone:
			said++
			fallthrough
		case len(all) == 0:
			idle++
		}
	}
	if said < 30 || said < idle*2/3 {
		t.Errorf("said of %d of %d snapshots that start no job", said, idle)
	}
}

// randomIPSCHED draws a snapshot, an objective and node ranges.
func randomIPSCHED(seed uint64) (auction.Snapshot, Objective, []nodeRange) {
	r := rand.New(rand.NewPCG(seed, 4))
	s := randomSnapshot(r)
	objective, ranges := ByPriority, nodeRanges(s)
	if r.IntN(2) == 0 {
		objective = ByPriorityCores
	}
	for j, job := range s.Jobs {
		if job.Type() == bidding.Type1 && r.IntN(2) == 0 {
			ranges[j].Min = 1 + r.IntN(len(s.Nodes))
			ranges[j].Max = ranges[j].Min + r.IntN(2)
		}
	}
	return s, objective, ranges
}

// TestIPSCHEDLiteralFive: read to the letter, (5) holds for jobs that are not
// selected. So the program has a solution only if all jobs can start at once,
// and then it is the repaired one's among those that start all.
func TestIPSCHEDLiteralFive(t *testing.T) {
	solvable, unsolvable := 0, 0
	for seed := range uint64(1500) {
		s, objective, ranges := randomIPSCHED(seed)
		got, _ := exhaust(t, literalIPSCHED(s, objective, ranges))
		want, all := bestIPSCHED(s, objective, ranges, true)
		switch {
		case !all:
			unsolvable++
			if got.Status != program.StatusInfeasible {
				t.Fatalf("seed %d: %v, want no solution", seed, got)
			}
		default:
			solvable++
			if !near(got.Objective, want) {
				t.Fatalf("seed %d: %v, want %g", seed, got, want)
			}
		}
	}
	if solvable < 100 || unsolvable < 100 {
		t.Errorf("%d solvable and %d unsolvable instances: too few of one kind", solvable, unsolvable)
	}
}

// TestIPSCHEDLiteralFiveExample: two jobs of two cores, one node of two cores.
func TestIPSCHEDLiteralFiveExample(t *testing.T) {
	s := auction.Snapshot{
		Nodes: []machine.Node{{Name: "n1", Cores: 2, FreeCores: 2}},
		Jobs:  []bidding.Job{{ID: 1, Priority: 2, Cores: 2}, {ID: 2, Priority: 1, Cores: 2}},
	}
	if got, _ := exhaust(t, literalIPSCHED(s, ByPriority, nodeRanges(s))); got.Status != program.StatusInfeasible {
		t.Errorf("literal: %v, want no solution", got)
	}
	got, all := exhaust(t, formulateIPSCHED(s, ByPriority, nodeRanges(s)))
	if got.Objective != 1 || fmt.Sprint(all) != "[job 0 nodes 0 cores 2 gpus 0]" {
		t.Errorf("repaired: %v %v, want job 1 with 2 (1 - 1/2)", got, all)
	}
}

// TestBasicPriorities: "SLURM takes the first submitted job's priority to be a large number, and every arriving job's
// priority will be one less" (IPSCHED section IV). Of three jobs that exclude each other, the wrong one is then
// within 1e-6 of the best, inside the relative gap of 1e-4 that is the default of solvers. With ranks it is not.
func TestBasicPriorities(t *testing.T) {
	s := auction.Snapshot{Nodes: []machine.Node{{Name: "n1", Cores: 2, FreeCores: 2}}}
	for i := range 3 {
		s.Jobs = append(s.Jobs, bidding.Job{ID: i + 1, Priority: float64(4294901760 - i), Cores: 2})
	}
	// Without (5) in its literal form, as that leaves no solution.
	one := machine.Allocation{Nodes: []int{0}, Cores: []int{2}}
	for _, literal := range []bool{true, false} {
		formulate := formulateAUCSCHED
		if literal {
			formulate = literalAUCSCHED
		}
		m := formulate(s, []bidding.Bid{
			{Job: 0, Allocation: one, Preference: 1},
			{Job: 1, Allocation: one, Preference: 1},
			{Job: 2, Allocation: one, Preference: 1},
		})
		found, _ := exhaust(t, m)
		if found.Values[0] != 1 {
			t.Fatalf("literal %v: %v, want the first bid", literal, found)
		}
		first, last := m.Program.Variables[0].Objective, m.Program.Variables[2].Objective
		if gap := (first - last) / last; (gap < 1e-6) != literal {
			t.Errorf("literal %v: the last job is within a gap of %g", literal, gap)
		}
	}
}

// TestRangeOfNodes: "If a job requests that the number of nodes it gets is between some
// limits, these limits are enforced by (5)" (IPSCHED section III). Four nodes have 4 cores
// each; the objective prefers few nodes, so that the least number decides above what the
// cores need, and the most where nothing else does.
func TestRangeOfNodes(t *testing.T) {
	for _, tt := range []struct {
		cores, least, most int
		want               int // nodes; 0 for a job that cannot start
	}{
		{8, 1, 4, 2},
		{8, 3, 4, 3},
		{4, 2, 3, 2},
		{12, 1, 2, 0},
		{2, 3, 4, 0},
	} {
		s := auction.Snapshot{Nodes: idle(4, 4, 0), Jobs: []bidding.Job{{ID: 1, Cores: tt.cores, Nodes: tt.least, MaxNodes: tt.most}}}
		_, all := exhaust(t, formulateIPSCHED(s, ByPriority, nodeRanges(s)))
		got := 0
		if len(all) > 0 {
			got = len(all[0].Nodes)
		}
		if got != tt.want {
			t.Errorf("%+v: got %d nodes", tt, got)
		}
	}
}
