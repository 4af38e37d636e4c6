//go:build integration

package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Nodes n1 to n3 are thin, n4 and n5 volta, n6 ampere.
const optionsMachine = `name: options
groups:
  - {name: thin, count: 3, cores: 4, memory: 4000MiB, features: [ib], weight: 10}
  - {name: volta, count: 2, cores: 8, memory: 16000MiB, gpus: {v100: 2}, features: [ib, gpu], weight: 20}
  - {name: ampere, count: 1, cores: 16, memory: 64000MiB, gpus: {a100: 4}, features: [gpu], weight: 30}
partitions:
  - {name: batch, groups: [thin, volta], default: true}
  - {name: gpu, groups: [volta, ampere]}
`

// At 700 s job 4 has all of n4, so that job 5 cannot have the lightest node of its partition.
const optionsJobs = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,partition,mem_per_node,mem_per_cpu,features,gpu_type,exclusive,nodelist,array
1,0,100,600,0,1,0,0,0,0,partition,gpu,0,0,,,0,,
2,200,100,600,0,1,0,1,1,0,type,gpu,0,0,,a100,0,,
3,400,100,600,0,1,0,0,0,0,memory,gpu,16001,0,,,0,,
4,600,400,600,0,1,0,0,0,0,exclusive,,0,0,gpu,,1,,
5,700,100,600,0,1,0,1,1,0,beside,gpu,0,100,gpu&ib,,0,,
6,1200,100,600,1,8,0,0,0,0,memory,,0,2000,,,0,,
7,1400,100,600,2,2,0,0,0,0,features,,0,0,gpu,,0,,
8,1600,100,600,0,5,0,0,0,0,layout,,0,1500,ib,,0,,
9,1800,100,600,0,1,0,0,0,0,either,gpu,0,0,ib|gpu,,0,,
10,2000,300,600,0,1,0,0,0,0,task,,0,0,,,0,,7%2
11,2000,300,600,0,1,0,0,0,0,task,,0,0,,,0,,7%2
12,2000,100,600,0,1,0,0,0,0,task,,0,0,,,0,,7%2
13,2700,100,600,2,2,0,0,0,0,nodes,,0,0,,,0,n[2-3],
14,2900,100,600,2,2,0,0,0,0,nodes,gpu,0,0,,,0,n6,8
15,2900,100,600,0,1,0,0,0,0,task,,0,0,,,0,,8
`

// Jobs run where partition, memory, features, type of GPUs and whole nodes leave only the lightest nodes that have
// them ("nodes with the lowest weight that satisfy the job's requirements", slurm.conf(5)). That holds under Slurm's
// own scheduler and under the auction, whose every start is as planned. Of job 8 a thin node has memory for two
// cores. Of the array of jobs 10 to 12 two tasks run at a time, and job 14 gets a node beside the one that it names.
func TestOptions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.External(), file(t, "options.yaml", optionsMachine), file(t, "options.csv", optionsJobs), name, 0)
			c.Dir = run.OwnDir(t, "options")
			r := carriedOut(t, c)
			proven(t, r.Run, nil)
			if p := r.Metrics.Placement; name == policy.Auction && (p == nil || p.Checked != len(r.Jobs) || p.Exact != p.Checked) {
				t.Errorf("placement %+v, want all %d jobs as planned", p, len(r.Jobs))
			}
			want := []string{"volta", "ampere", "ampere", "volta", "volta", "volta", "volta volta", "thin thin thin", "volta", "thin", "thin", "thin", "thin thin", "volta ampere", "thin"}
			groupOf := c.Machine.Layout.GroupOf()
			// A job that waits for the end of another waits 100 s or more; Slurm's thinking, which counts,
			// takes seconds at most.
			const another = 100
			for i, j := range r.Jobs {
				var groups []string
				for _, n := range j.Allocated {
					groups = append(groups, c.Machine.Layout.Groups[groupOf[n]].Name)
				}
				if got := strings.Join(groups, " "); got != want[i] || j.ID != 12 && j.Waiting() >= another {
					t.Errorf("job %d, %s, is on %s after %g s, want %s without waiting for another job", j.ID, j.Class, got, j.Waiting(), want[i])
				}
			}
			if third := r.Jobs[11]; third.Waiting() < 300 || !slices.Equal(r.Jobs[12].Allocated, []int{1, 2}) {
				t.Errorf("job 12 waited %g s, want 300 s for one of the tasks 10 and 11; job 13 is on %v, want n2 and n3", third.Waiting(), r.Jobs[12].Allocated)
			}
			whole, beside := r.Jobs[3], r.Jobs[4]
			if whole.AllocCores != 8 || slices.Equal(whole.Allocated, beside.Allocated) {
				t.Errorf("the exclusive job has %d cores of %v, and the one beside it is on %v; want all 8 cores", whole.AllocCores, whole.Allocated, beside.Allocated)
			}
			t.Logf("GPUs of the exclusive job: %d", whole.AllocGPUs)
		})
	}
}
