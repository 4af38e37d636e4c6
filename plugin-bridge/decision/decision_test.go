package decision_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/decision"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

func exhaustive(ctx context.Context, p program.Program, _ time.Duration) (program.Solution, error) {
	return program.Exhaustive{}.Solve(ctx, p)
}

func idle(nodes, cores, gpus int) []nodeset.Node {
	var all []nodeset.Node
	for i := range nodes {
		all = append(all, nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: cores, FreeCores: cores, GPUs: gpus, FreeGPUs: gpus})
	}
	return all
}

// TestTableISmall is IPSCHED Table I on 2 nodes in place of 1024: J1 takes half of
// the cores of every node, so that J2 and J3 get the GPUs. All three start. J1 asks
// for all nodes here: on half of them it is worth as much by (1) as J3 is, or more.
func TestTableISmall(t *testing.T) {
	s := auction.Snapshot{Nodes: idle(2, 4, 2), Jobs: []auction.Job{
		{ID: 1, Priority: 3, Nodes: 2, Cores: 4},
		{ID: 2, Priority: 2, Nodes: 1, Cores: 2, GPUs: 2},
		{ID: 3, Priority: 1, Nodes: 1, Cores: 2, GPUs: 2},
	}}
	for name, p := range map[string]*decision.Policy{
		"ipsched":       decision.NewIPSCHED(decision.Options{Solve: exhaustive}),
		"ipsched-cores": decision.NewIPSCHED(decision.Options{Solve: exhaustive, Objective: formulation.ByPriorityCores}),
		"auction1":      decision.NewAUCSCHED(decision.Options{Solve: exhaustive, Bids: auction.Options{MaxBidsPerJob: 5}}),
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
		cores, err := auction.Place(free, b.Request())
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

// TestDecideProperties: whatever the snapshot, what a policy decides can be asked
// of Slurm, no job wins twice or is won and deferred, and without deferrals the
// jobs that IPSCHED starts are worth the program's optimum.
func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := auction.Snapshot{Nodes: idle(rapid.IntRange(1, 3).Draw(t, "nodes"), 3, 1)}
		for i := range s.Nodes {
			s.Nodes[i].FreeCores = rapid.IntRange(0, 3).Draw(t, "free")
		}
		jobs := rapid.IntRange(1, 3).Draw(t, "jobs")
		for i := range jobs {
			j := auction.Job{ID: i + 1, Priority: float64(jobs - i), GPUs: rapid.IntRange(0, 1).Draw(t, "GPUs"), Contiguous: rapid.Bool().Draw(t, "block")}
			if rapid.Bool().Draw(t, "cores only") {
				j.Cores = rapid.IntRange(1, 5).Draw(t, "cores")
			} else {
				j.Nodes, j.CoresPerNode = rapid.IntRange(1, 3).Draw(t, "n"), rapid.IntRange(1, 2).Draw(t, "t")
			}
			s.Jobs = append(s.Jobs, j)
		}
		for _, p := range []*decision.Policy{
			decision.NewIPSCHED(decision.Options{Solve: exhaustive, Limit: time.Second}),
			decision.NewAUCSCHED(decision.Options{Solve: exhaustive, Limit: time.Second}),
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

// TestTimeLimit: "If the time limit is exceeded, in that scheduling interval, none
// of the jobs are started" (IPSCHED section IV); AUCSCHED starts what is known.
func TestTimeLimit(t *testing.T) {
	s := auction.Snapshot{Nodes: idle(1, 4, 0), Jobs: []auction.Job{{ID: 1, Cores: 2}}}
	late := func(ctx context.Context, p program.Program, limit time.Duration) (program.Solution, error) {
		found, err := exhaustive(ctx, p, limit)
		found.Status, found.Bound = program.StatusTimeLimit, found.Objective+1
		return found, err
	}
	nothing := func(context.Context, program.Program, time.Duration) (program.Solution, error) {
		return program.Solution{Status: program.StatusAbandoned, Bound: math.Inf(1)}, nil
	}
	for _, tt := range []struct {
		name    string
		policy  *decision.Policy
		started int
		status  auction.Status
	}{
		{"ipsched", decision.NewIPSCHED(decision.Options{Solve: late}), 0, auction.StatusTimeLimit},
		{"auction1", decision.NewAUCSCHED(decision.Options{Solve: late}), 1, auction.StatusTimeLimit},
		{"auction1 without a point", decision.NewAUCSCHED(decision.Options{Solve: nothing}), 0, auction.StatusAbandoned},
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
	s := auction.Snapshot{Nodes: idle(3, 2, 0), Jobs: []auction.Job{
		{ID: 1, Priority: 2, Nodes: 2, CoresPerNode: 2, Contiguous: true},
		{ID: 2, Priority: 1, Nodes: 2, CoresPerNode: 2},
	}}
	s.Nodes[1].FreeCores = 0
	p := decision.NewIPSCHED(decision.Options{Solve: exhaustive, Limit: time.Second})
	r, err := p.Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) != 1 || r.Ordered[0].Job != 1 || len(r.Deferred) != 1 || !strings.Contains(r.Deferred[0].Reason, "no block of 2 nodes") {
		t.Errorf("%+v, %v: want job 1 deferred and job 2 started", r, err)
	}
	// With no time left for job 2 another cycle may start it.
	now := time.Duration(0)
	p = decision.NewIPSCHED(decision.Options{
		Limit: time.Second, Clock: func() time.Duration { return now },
		Solve: func(ctx context.Context, p program.Program, limit time.Duration) (program.Solution, error) {
			now += limit
			return exhaustive(ctx, p, limit)
		},
	})
	r, err = p.Decide(t.Context(), s, 0)
	if err != nil || len(r.Ordered) != 0 || len(r.Deferred) != 1 || r.Assignment.Status != auction.StatusOptimal || r.Assignment.Gap() != -1 {
		t.Errorf("%+v, %v: want job 1 deferred and nothing proven", r, err)
	}
}

// TestObstacles: what no row of the papers' programs is about.
func TestObstacles(t *testing.T) {
	nodes := idle(2, 4, 0)
	nodes[0].Partitions, nodes[1].Partitions = []string{"all", "half"}, []string{"all"}
	ipsched, auction1 := decision.NewIPSCHED(decision.Options{}), decision.NewAUCSCHED(decision.Options{})
	for _, tt := range []struct {
		options        auction.JobOptions
		ipsched, other string
	}{
		{auction.JobOptions{Partition: "all"}, "", ""},
		{auction.JobOptions{Partition: "half"}, "partition half", ""},
		{auction.JobOptions{Required: []int{1}}, "which nodes", ""},
		{auction.JobOptions{Features: []string{"ib"}}, "which nodes", ""},
		{auction.JobOptions{Exclusive: true}, "for itself", "for itself"},
		{auction.JobOptions{MemoryPerCore: 1}, "memory", "memory"},
		{auction.JobOptions{Licences: []auction.Licence{{Name: "l", Count: 1}}}, "licences", "licences"},
	} {
		j := auction.Job{Cores: 1, Options: tt.options}
		for _, got := range [][2]string{{ipsched.Obstacle(j, nodes), tt.ipsched}, {auction1.Obstacle(j, nodes), tt.other}} {
			if !strings.Contains(got[0], got[1]) || (got[0] == "") != (got[1] == "") {
				t.Errorf("%+v: %q, want %q", tt.options, got[0], got[1])
			}
		}
	}
}
