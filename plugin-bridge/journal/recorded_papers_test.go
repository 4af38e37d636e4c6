package journal_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/papers"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
	"github.com/slurmlab/slurmlab/results/trace"
)

// workOfRun is for how long HiGHS worked, when a run was recorded, on the programs
// that are solved again: real time on a processor of 2026, which bounds that of
// this test.
const workOfRun = 4 * time.Second

// solutionLimit is never reached by a program that HiGHS solved in the 4 or 5 s of
// the run.
const solutionLimit = 5 * time.Minute

// mended are the cycles that are decided differently since a fault was mended.
var mended = map[string][]int{
	// When allocations are in each other's way, the one that is worth least to the
	// program is deferred; it was the first, usually the most important one.
	"auction1":                      {11},
	"auction1-5s-15b-noslurm":       {2, 39, 46},
	"auction1-5s-5b-noslurm":        {3, 16},
	"auction1-5s-5b-noslurm-blocks": {37},
	"auction1-ranges":               {6, 31},
	"ipsched-cores":                 {7, 10},
	// The second program of a cycle must use the jobs' priorities; it had their positions in the queue.
	"ipsched-multifactor": {11},
}

// policy makes the policy of a recorded cycle as slurmlabd does.
func (r recording) policy(c journal.Entry) *papers.Decider {
	o := papers.DeciderOptions{
		Solve: func(_ context.Context, p program.Program, _ []float64, limit time.Duration) (program.Solution, error) {
			return highs.Engine{}.SolveProgram(p, limit, highs.Guide{})
		},
		Limit: solutionLimit, Bids: c.Options.Bids,
	}
	return r.decider(o)
}

func (r recording) decider(o papers.DeciderOptions) *papers.Decider {
	if r.Parameters.Method == methodAUCSCHED {
		return papers.NewAUCSCHED(o)
	}
	if r.Parameters.Objective == "priority-cores" {
		o.Objective = papers.ByPriorityCores
	}
	return papers.NewIPSCHED(o)
}

// TestPapersDecideAsRecorded: the policies of IPSCHED and AUCSCHED write the same program for a recorded snapshot.
// They release the same jobs on the same nodes, cores and GPUs in the same order. The test leaves out cycles in which
// one of the programs was not solved to optimality (gap other than 0), because what HiGHS had at its time limit
// cannot be reproduced. It also leaves out cycles beyond workOfRun.
func TestPapersDecideAsRecorded(t *testing.T) {
	if highs.Version() == "" {
		hosttest.Elsewhere(t, "in the toolbox, which has HiGHS; make test runs this test there")
	}
	policies := map[string]bool{}
	for _, r := range recordings(t, methodIPSCHED, methodAUCSCHED) {
		t.Run(r.name, func(t *testing.T) {
			policies[r.Policy] = true
			cycles, left, releases := 0, 0, 0
			var work time.Duration
			r.each(t, func(c journal.Entry, was trace.Cycle) {
				if was.Solver != string(program.StatusOptimal) || was.Gap != 0 {
					left++
					return
				}
				took := time.Duration(was.SolveMS * float64(time.Millisecond))
				if work+took > workOfRun {
					left++
					return
				}
				work += took
				result, err := r.policy(c).Decide(context.Background(), c.Snapshot, c.Options.Bids.MaxBids)
				if err != nil {
					t.Fatalf("cycle %d: %v", c.Cycle, err)
				}
				if slices.Contains(mended[r.name], c.Cycle) {
					checkProgram(t, c, result, was)
					if changes(c, result, was) == "" {
						t.Errorf("cycle %d is decided as before the fault was mended", c.Cycle)
					}
				} else {
					check(t, c, result, was)
				}
				cycles++
				releases += len(was.Released)
			})
			t.Logf("%d cycles with %d releases, %d left out", cycles, releases, left)
			if cycles < 10 || releases < 10 {
				t.Errorf("%d cycles with %d releases, want at least 10 of each", cycles, releases)
			}
		})
	}
	for _, p := range strings.Fields("ipsched ipsched-cores ipsched-multifactor ipsched-cores-multifactor " +
		"auction1 auction1-5s-15b auction1-5s-5b-noslurm auction1-5s-15b-noslurm auction1-5s-5b-noslurm-blocks") {
		if !policies[p] {
			t.Errorf("no run of policy %s is recorded", p)
		}
	}
}
