//go:build integration

package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// While job 1 has all of the 1024 cores, four jobs come of which no two fit side by side. A core is worth
// 10080/1024/2 = 4.9 points, that is minutes. Job 3 has one core more than job 2 and came 90 s later, job 4 as many
// as job 3 and came 390 s after job 2. Job 5 has all cores.
const aging = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class
1,0,900,1200,0,1024,0,0,0,0,first
2,10,60,300,0,600,0,0,0,0,early
3,100,60,300,0,601,0,0,0,0,larger
4,400,60,300,0,601,0,0,0,0,late
5,500,60,300,0,1024,0,0,0,0,largest
`

// "This plug-in allows the job priorities to increase with increasing job size and aging" (IPSCHED section IV). On
// the real Slurm size goes before submission, but not before a longer wait than it is worth, under backfill as under
// the agent.
func TestMultifactor(t *testing.T) {
	t.Parallel()
	machine := file(t, "few.yaml", "name: few\nnodes: 8\ncores: 128\ngpus: 0\n")
	workload := file(t, "aging.csv", aging)
	for _, name := range []string{policy.WholeQueue, "backfill-multifactor", "ipsched", "ipsched-multifactor"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.Quick(), machine, workload, name, 0)
			want := []int{1, 2, 3, 4, 5}
			if c.Policy.Priority == priority.Multifactor {
				want = []int{1, 5, 3, 2, 4}
			}
			// What is checked does not depend on how fast Slurm thinks.
			c.Core = nil
			data, _ := complete(t, c)
			if r := data.Run; r.PriorityType != c.Policy.Priority.Plugin() || r.PriorityParameters != strings.Join(c.Policy.Priority.Lines(), ",") {
				t.Errorf("run.json has %q with %q", r.PriorityType, r.PriorityParameters)
			}
			byStart := slices.SortedFunc(slices.Values(data.Jobs), func(a, b trace.FinishedJob) int { return int(a.Start - b.Start) })
			var order []int
			for _, j := range byStart {
				order = append(order, j.ID)
				t.Logf("job %d started at %g s", j.ID, j.Start)
			}
			if !slices.Equal(order, want) {
				t.Errorf("order %v, want %v", order, want)
			}
		})
	}
}
