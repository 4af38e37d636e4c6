package papers

import (
	"context"
	"errors"
	"fmt"
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

func exhaustive(ctx context.Context, p program.Program, _ []float64, _ time.Duration) (program.Solution, error) {
	return auctiontest.ExhaustiveProgram{}.Solve(ctx, p)
}

func idle(nodes, cores, gpus int) []machine.Node {
	var all []machine.Node
	for i := range nodes {
		all = append(all, machine.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, FreeCores: cores, GPUs: gpus, FreeGPUs: gpus})
	}
	return all
}

// TestTableISmall is IPSCHED Table I on 2 nodes in place of 1024: J1 takes half of
// the cores of every node, so that J2 and J3 get the GPUs. All three start. J1 asks
// for all nodes here: on half of them it is worth as much by (1) as J3 is, or more.
func TestTableISmall(t *testing.T) {
	s := auction.Snapshot{Nodes: idle(2, 4, 2), Jobs: []bidding.Job{
		{ID: 1, Priority: 3, Nodes: 2, Cores: 4},
		{ID: 2, Priority: 2, Nodes: 1, Cores: 2, GPUs: 2},
		{ID: 3, Priority: 1, Nodes: 1, Cores: 2, GPUs: 2},
	}}
	for name, p := range map[string]*Decider{
		"ipsched":       NewIPSCHED(DeciderOptions{Solve: exhaustive}),
		"ipsched-cores": NewIPSCHED(DeciderOptions{Solve: exhaustive, Objective: ByPriorityCores}),
		"our bids":      NewAUCSCHED(DeciderOptions{Solve: exhaustive, Bids: auctiontest.AllKinds(bidding.BidOptions{MaxBidsPerJob: 5})}),
		"auction1":      NewAUCSCHED(DeciderOptions{Solve: exhaustive, Bids: paperBids(5)}),
	} {
		r, err := p.Decide(t.Context(), s, 100)
		if err != nil || len(r.Ordered) != 3 || r.Size.Columns == 0 || len(p.Program().Variables) != r.Size.Columns {
			t.Errorf("%s: %+v, %v: want all three jobs", name, r, err)
		}
		play(t, s, r)
	}
}

// play checks that the winners, in order, are what the placement rule gives.
func play(t interface{ Fatalf(string, ...any) }, s auction.Snapshot, r auction.Result) {
	left := slices.Clone(s.Nodes)
	for _, b := range r.Ordered {
		free := make([]int, len(b.Nodes))
		for i, n := range b.Nodes {
			free[i] = left[n].FreeCores
		}
		cores, err := machine.Place(free, b.Request())
		if err != nil || !slices.Equal(cores, b.Cores) {
			t.Fatalf("%v: Slurm gives %v, %v", b, cores, err)
		}
		for i, n := range b.Nodes {
			left[n].FreeCores -= cores[i]
			left[n].FreeGPUs -= b.GPUs
			if left[n].FreeGPUs < 0 {
				t.Fatalf("%v oversells node %d", b, n)
			}
		}
	}
}

// TestDecideProperties: for each snapshot, Slurm can be asked for what a policy decides. No job wins twice or is both
// won and deferred. Without deferrals the jobs that IPSCHED starts are worth the program's optimum.
func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := auction.Snapshot{Nodes: idle(rapid.IntRange(1, 3).Draw(t, "nodes"), 3, 1)}
		for i := range s.Nodes {
			s.Nodes[i].FreeCores = rapid.IntRange(0, 3).Draw(t, "free")
		}
		jobs := rapid.IntRange(1, 3).Draw(t, "jobs")
		for i := range jobs {
			j := bidding.Job{ID: i + 1, Priority: float64(jobs - i), GPUs: rapid.IntRange(0, 1).Draw(t, "GPUs"), Contiguous: rapid.Bool().Draw(t, "block")}
			if rapid.Bool().Draw(t, "cores only") {
				j.Cores = rapid.IntRange(1, 5).Draw(t, "cores")
			} else {
				j.Nodes, j.CoresPerNode = rapid.IntRange(1, 3).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "t")
			}
			s.Jobs = append(s.Jobs, j)
		}
		for _, p := range []*Decider{
			NewIPSCHED(DeciderOptions{Solve: exhaustive, Limit: time.Second}),
			NewAUCSCHED(DeciderOptions{Solve: exhaustive, Bids: auctiontest.AllKinds(bidding.BidOptions{}), Limit: time.Second}),
			NewAUCSCHED(DeciderOptions{Solve: exhaustive, Bids: paperBids(3), Limit: time.Second}),
		} {
			r, err := p.Decide(context.Background(), s, 20)
			if err != nil {
				t.Fatal(err)
			}
			play(t, s, r)
			seen := map[int]bool{}
			for _, b := range r.Ordered {
				if seen[b.Job] {
					t.Fatalf("job %d wins twice", b.Job)
				}
				seen[b.Job] = true
				if s.Jobs[b.Job].Contiguous && b.Nodes[len(b.Nodes)-1]-b.Nodes[0] != len(b.Nodes)-1 {
					t.Fatalf("%v is no block", b)
				}
			}
			for _, d := range r.Deferred {
				if seen[d.Bid.Job] || d.Reason == "" {
					t.Fatalf("deferred %+v", d)
				}
			}
			if p.Program().Name != "ipsched" || len(r.Deferred) > 0 {
				continue
			}
			value := 0.0
			for _, b := range r.Ordered {
				value += float64(jobs-b.Job) * (1 - float64(len(b.Nodes))/float64(2*len(s.Nodes)))
			}
			if math.Abs(value-r.Assignment.Objective) > 1e-9 {
				t.Fatalf("started jobs are worth %g, the optimum is %g", value, r.Assignment.Objective)
			}
		}
	})
}

// TestSecondProgramHasThePriorities: under priority/multifactor the weights of every
// program of a decision are the priorities (IPSCHED section III, p_j). Job 1, which
// gets no block, is deferred; of what is left job 2 is worth 10 (1 - 2/6) and jobs 3
// and 4 together (2 + 1) (1 - 1/6). By ranks, 3 for job 2, it is the other way round.
func TestSecondProgramHasThePriorities(t *testing.T) {
	s := auction.Snapshot{Weighted: true, Nodes: idle(3, 2, 0), Jobs: []bidding.Job{
		{ID: 1, Priority: 100, Nodes: 2, CoresPerNode: 2, Contiguous: true},
		{ID: 2, Priority: 10, Nodes: 2, CoresPerNode: 2},
		{ID: 3, Priority: 2, Nodes: 1, CoresPerNode: 2},
		{ID: 4, Priority: 1, Nodes: 1, CoresPerNode: 2},
	}}
	s.Nodes[1].FreeCores = 0
	r, err := NewIPSCHED(DeciderOptions{Solve: exhaustive, Limit: time.Second}).Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) != 1 || r.Ordered[0].Job != 1 || len(r.Deferred) != 1 || r.Deferred[0].Bid.Job != 0 {
		t.Errorf("%+v, %v: want job 1 deferred and job 2 alone started", r, err)
	}
}

// TestTimeLimit: "If the time limit is exceeded, in that scheduling interval, none
// of the jobs are started" (IPSCHED section IV); AUCSCHED starts what is known.
func TestTimeLimit(t *testing.T) {
	s := auction.Snapshot{Nodes: idle(1, 4, 0), Jobs: []bidding.Job{{ID: 1, Cores: 2}}}
	late := func(ctx context.Context, p program.Program, start []float64, limit time.Duration) (program.Solution, error) {
		found, err := exhaustive(ctx, p, start, limit)
		found.Status, found.Bound = program.StatusTimeLimit, found.Objective+1
		return found, err
	}
	nothing := func(context.Context, program.Program, []float64, time.Duration) (program.Solution, error) {
		return program.Solution{Status: program.StatusAbandoned, Bound: math.Inf(1)}, nil
	}
	// A solver that finds nothing still has what it was given.
	given := func(_ context.Context, p program.Program, start []float64, _ time.Duration) (program.Solution, error) {
		return program.Solution{Status: program.StatusAbandoned, Values: start, Objective: p.Value(start), Bound: math.Inf(1)}, nil
	}
	first := func(context.Context, auction.Problem) auction.Assignment {
		return auction.Assignment{Selected: []int{0}}
	}
	for _, tt := range []struct {
		name    string
		policy  *Decider
		started int
		status  program.Status
	}{
		{"ipsched", NewIPSCHED(DeciderOptions{Solve: late}), 0, program.StatusTimeLimit},
		{"ipsched with start-late", NewIPSCHED(DeciderOptions{Solve: late, StartLate: true}), 1, program.StatusTimeLimit},
		{"auction1", NewAUCSCHED(DeciderOptions{Solve: late, Bids: auctiontest.AllKinds(bidding.BidOptions{})}), 1, program.StatusTimeLimit},
		{"auction1 with its start", NewAUCSCHED(DeciderOptions{Solve: given, Start: first, Bids: auctiontest.AllKinds(bidding.BidOptions{})}), 1, program.StatusAbandoned},
		{"auction1 without a point", NewAUCSCHED(DeciderOptions{Solve: nothing, Bids: auctiontest.AllKinds(bidding.BidOptions{})}), 0, program.StatusAbandoned},
	} {
		r, err := tt.policy.Decide(t.Context(), s, 10)
		if err != nil || len(r.Ordered) != tt.started || r.Assignment.Status != tt.status || r.Assignment.Gap() == 0 {
			t.Errorf("%s: %+v, %v", tt.name, r, err)
		}
	}
}

// TestDeferredJobLeavesItsPlace: a job that can have no block does not keep the
// next one from the nodes that the program gave it.
func TestDeferredJobLeavesItsPlace(t *testing.T) {
	s := auction.Snapshot{Nodes: idle(3, 2, 0), Jobs: []bidding.Job{
		{ID: 1, Priority: 2, Nodes: 2, CoresPerNode: 2, Contiguous: true},
		{ID: 2, Priority: 1, Nodes: 2, CoresPerNode: 2},
	}}
	s.Nodes[1].FreeCores = 0
	p := NewIPSCHED(DeciderOptions{Solve: exhaustive, Limit: time.Second})
	r, err := p.Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) != 1 || r.Ordered[0].Job != 1 || len(r.Deferred) != 1 || !strings.Contains(r.Deferred[0].Reason, "no block of 2 nodes") {
		t.Errorf("%+v, %v: want job 1 deferred and job 2 started", r, err)
	}
	// With no time left for job 2 another cycle may start it.
	now := time.Duration(0)
	p = NewIPSCHED(DeciderOptions{
		Limit: time.Second, Clock: func() time.Duration { return now },
		Solve: func(ctx context.Context, p program.Program, start []float64, limit time.Duration) (program.Solution, error) {
			now += limit
			return exhaustive(ctx, p, start, limit)
		},
	})
	r, err = p.Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) != 0 || len(r.Deferred) != 1 || r.Assignment.Status != program.StatusOptimal || r.Assignment.Gap() != -1 {
		t.Errorf("%+v, %v: want job 1 deferred and nothing proven", r, err)
	}
}

// TestObstacles: what no row of the papers' programs is about.
func TestObstacles(t *testing.T) {
	nodes := idle(2, 4, 0)
	nodes[0].Partitions, nodes[1].Partitions = []string{"all", "half"}, []string{"all"}
	ipsched, auction1 := NewIPSCHED(DeciderOptions{}), NewAUCSCHED(DeciderOptions{})
	for _, tt := range []struct {
		options        bidding.JobOptions
		ipsched, other string
	}{
		{bidding.JobOptions{Partition: "all"}, "", ""},
		{bidding.JobOptions{Partition: "half"}, "partition half", ""},
		{bidding.JobOptions{Required: []int{1}}, "which nodes", ""},
		{bidding.JobOptions{Features: []string{"ib"}}, "which nodes", ""},
		{bidding.JobOptions{Exclusive: true}, "for itself", "for itself"},
		{bidding.JobOptions{MemoryPerCore: 1}, "memory", "memory"},
		{bidding.JobOptions{Licences: []machine.Licence{{Name: "l", Count: 1}}}, "licences", "licences"},
	} {
		j := bidding.Job{Cores: 1, Options: tt.options}
		for _, got := range [][2]string{{ipsched.Obstacle(j, nodes), tt.ipsched}, {auction1.Obstacle(j, nodes), tt.other}} {
			if !strings.Contains(got[0], got[1]) || (got[0] == "") != (got[1] == "") {
				t.Errorf("%+v: %q, want %q", tt.options, got[0], got[1])
			}
		}
	}
}

// TestNoProgramForAFullMachine: where no job of the window can start alone, IPSCHED's program is written and not solved, since starting nothing is its only
// solution. A job that is too large stands beside one whose GPUs are taken.
func TestNoProgramForAFullMachine(t *testing.T) {
	nodes := idle(3, 4, 1)
	nodes[0].FreeCores, nodes[1].FreeGPUs, nodes[2].FreeGPUs = 0, 0, 0
	s := auction.Snapshot{Nodes: nodes, Jobs: []bidding.Job{{ID: 1, Priority: 2, Cores: 9}, {ID: 2, Priority: 1, Cores: 1, GPUs: 1}}}
	p := NewIPSCHED(DeciderOptions{Solve: func(context.Context, program.Program, []float64, time.Duration) (program.Solution, error) {
		return program.Solution{}, errors.New("solved")
	}})
	r, err := p.Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) > 0 || r.Assignment.Status != program.StatusOptimal || r.Size.Columns != 2*2*(1+3) || len(p.Program().Variables) != r.Size.Columns {
		t.Errorf("got %+v, %v", r, err)
	}
	s.Nodes[1].FreeGPUs = 1
	if _, err = p.Decide(t.Context(), s, 0); err == nil || !strings.Contains(err.Error(), "solved") {
		t.Errorf("with a GPU for job 2: got %v, want that the program is solved", err)
	}
}
