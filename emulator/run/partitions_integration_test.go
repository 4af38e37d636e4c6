//go:build integration

package run_test

import (
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Partition a has nodes n1 and n2, b has n3 and n4.
const partitionsMachine = `name: two
groups:
  - {name: a, count: 2, cores: 4}
  - {name: b, count: 2, cores: 4}
partitions:
  - {name: a, groups: [a], default: true}
  - {name: b, groups: [b]}
`

// Job 1 has all of a until 900 s. Jobs 2 and 3 leave b at 350 s.
const partitionsJobs = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,partition
1,0,900,960,2,8,4,0,0,0,all-of-a,a
2,50,300,600,1,4,4,0,0,0,first,a&b
3,50,300,600,1,4,4,0,0,0,second,a&b
4,100,700,960,2,8,4,0,0,0,waits,a&b
5,500,300,600,2,8,4,0,0,0,back,b&a
`

// A job of two partitions starts in the one that has room, and waits for whichever has room first, under Slurm's own scheduler and under
// an agent (sbatch(1), "--partition": "If the job can use more than one partition, specify their names in a comma separate list and the one
// offering earliest initiation will be used"). No job has nodes of both.
func TestSeveralPartitions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.External(), file(t, "two.yaml", partitionsMachine), file(t, "two.csv", partitionsJobs), name, 0)
			c.Dir = run.OwnDir(t, "two")
			r := carriedOut(t, c)
			proven(t, r.Run, nil)
			groupOf := c.Machine.Layout.GroupOf()
			// When the jobs can start. Slurm's thinking, which counts, takes seconds; the next other time is 100 s away.
			const late = 90
			wants, earliest := []string{"a a", "b", "b", "b b", "a a"}, []float64{0, 50, 50, 350, 900}
			for i, j := range r.Jobs {
				var groups []string
				for _, n := range j.Allocated {
					groups = append(groups, c.Machine.Layout.Groups[groupOf[n]].Name)
				}
				got, want := strings.Join(groups, " "), wants[i]
				if got != want || j.SlurmPartition != want[:1] || j.Start < earliest[i] || j.Start > earliest[i]+late {
					t.Errorf("job %d, %s, is in partition %s on %s from %g s, want %s from %g s", j.ID, j.Class, j.SlurmPartition, got, j.Start, want, earliest[i])
				}
			}
		})
	}
}
