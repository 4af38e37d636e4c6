//go:build integration

package run_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Job 2 wants the whole machine of 64 cores and waits for job 1; jobs 3 and 4 fit
// beside job 1 and, by their limits, end before it. Job 5 fits nowhere beside it.
const blocked = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
1,0,600,900,0,48,0,0,0,0,first
2,1,60,300,0,64,0,0,0,0,blocked
3,2,30,60,0,8,0,0,0,0,small
4,3,45,60,0,8,0,0,0,0,small
5,4,30,60,0,32,0,0,0,0,wide
`

// Slurm's three schedulers do what they are named for on the real Slurm. Under sched/builtin no job of a partition
// starts while an earlier one waits. Under sched/backfill a job does that does not delay it (slurm.conf(5),
// SchedulerType).
func TestBaselines(t *testing.T) {
	t.Parallel()
	machine := file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 0\n")
	workload := file(t, "blocked.csv", blocked)
	for _, name := range []string{"fifo", "backfill-default", policy.WholeQueue} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.Quick(), machine, workload, name, 0)
			// What is checked does not depend on how fast Slurm thinks.
			c.Core = nil
			data, m := complete(t, c)
			if m.Completed != len(c.Jobs) || m.Placement != nil {
				t.Errorf("%d of %d jobs completed, placement %+v", m.Completed, len(c.Jobs), m.Placement)
			}
			scheduler := c.Policy.Scheduler
			if r := data.Run; r.SchedulerType != scheduler.Type || r.SchedulerParameters != scheduler.Parameters {
				t.Errorf("run.json has %q with %q, want %q with %q", r.SchedulerType, r.SchedulerParameters, scheduler.Type, scheduler.Parameters)
			}
			if data.Sdiag == nil || (data.Sdiag.Cycles > 0) != data.Run.Backfilled() {
				t.Errorf("sdiag %+v, want backfill passes: %v", data.Sdiag, data.Run.Backfilled())
			}
			passed := map[int]bool{}
			for i, later := range data.Jobs {
				for _, earlier := range data.Jobs[:i] {
					if later.Start < earlier.Start {
						passed[later.ID] = true
					}
				}
				t.Logf("job %d started at %g s and ended at %g s", later.ID, later.Start, later.Finish)
			}
			if start := data.Jobs[1].Start; start < data.Jobs[0].Finish || data.Jobs[4].Start < start {
				t.Errorf("job 2 started at %g s, beside job 1 or after job 5", start)
			}
			if name == "fifo" && len(passed) > 0 {
				t.Errorf("jobs %v passed a blocked one", passed)
			}
			if name != "fifo" && (!passed[3] || !passed[4]) {
				t.Errorf("jobs %v passed job 2, want 3 and 4", passed)
			}
		})
	}
}

// "Shortest first" turns the queue around: job 1, with the longest limit, starts last, after job 2, which needs the whole machine. Slurm
// keeps a priority that an administrator sets (scontrol(1), Priority), and places the jobs itself.
func TestOrderByFormula(t *testing.T) {
	t.Parallel()
	// All come at once: job 1 alone would start at its arrival.
	atOnce := strings.NewReplacer("\n2,1,", "\n2,0,", "\n3,2,", "\n3,0,", "\n4,3,", "\n4,0,", "\n5,4,", "\n5,0,").Replace(blocked)
	c := config(t, backendtest.Quick(), file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 0\n"), file(t, "blocked.csv", atOnce), "priority-shortest", 0)
	data, m := complete(t, c)
	if m.Completed != len(c.Jobs) || m.Placement != nil || data.Sdiag == nil || data.Sdiag.Cycles == 0 {
		t.Errorf("%d of %d jobs completed, placement %+v, sdiag %+v", m.Completed, len(c.Jobs), m.Placement, data.Sdiag)
	}
	for _, order := range [][2]int{{3, 2}, {4, 2}, {5, 2}, {2, 1}} {
		if early, late := data.Jobs[order[0]-1], data.Jobs[order[1]-1]; early.Finish > late.Start {
			t.Errorf("job %d ended at %g s, and job %d started at %g s", early.ID, early.Finish, late.ID, late.Start)
		}
	}
	ranked := 0
	for _, cycle := range data.Cycles {
		ranked += cycle.Ranked
		if len(cycle.Refused)+len(cycle.Unplaced) > 0 {
			t.Errorf("cycle %d: %+v", cycle.Cycle, cycle)
		}
	}
	if ranked != len(c.Jobs) {
		t.Errorf("%d priorities set, want one for each of %d jobs", ranked, len(c.Jobs))
	}
}
