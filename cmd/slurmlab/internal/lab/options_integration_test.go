//go:build integration

package lab_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/policy"
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
const optionsJobs = `job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,partition,mem_per_node,mem_per_cpu,features,gpu_type,exclusive
1,0,100,600,0,1,0,0,0,0,partition,gpu,0,0,,,0
2,200,100,600,0,1,0,1,1,0,type,gpu,0,0,,a100,0
3,400,100,600,0,1,0,0,0,0,memory,gpu,16001,0,,,0
4,600,400,600,0,1,0,0,0,0,exclusive,,0,0,gpu,,1
5,700,100,600,0,1,0,1,1,0,beside,gpu,0,100,gpu&ib,,0
6,1200,100,600,1,8,0,0,0,0,memory,,0,2000,,,0
7,1400,100,600,2,2,0,0,0,0,features,,0,0,gpu,,0
`

// Jobs run where partition, memory, features, type of GPUs and whole nodes leave Slurm no other
// choice than the lightest nodes that have them ("nodes with the lowest weight that satisfy the
// job's requirements", slurm.conf(5)).
func TestOptions(t *testing.T) {
	t.Parallel()
	c := config(t, external.Series, file(t, "options.yaml", optionsMachine), file(t, "options.csv", optionsJobs), policy.WholeQueue, 0)
	c.Dir = filepath.Join(t.TempDir(), "options")
	r := carriedOut(t, c)
	proven(t, r.Run, nil)
	want := [][]int{{3}, {5}, {5}, {3}, {4}, {3}, {3, 4}}
	// A job that waits for the end of another waits 100 s or more; Slurm's thinking, which counts,
	// takes seconds at most.
	const another = 100
	for i, j := range r.Jobs {
		if !slices.Equal(j.Allocated, want[i]) || j.Waiting() >= another {
			t.Errorf("job %d, %s, is on %v after %g s, want %v without waiting for another job", j.ID, j.Class, j.Allocated, j.Waiting(), want[i])
		}
	}
	if whole := r.Jobs[3]; whole.AllocCores != 8 {
		t.Errorf("the exclusive job has %d cores and %d GPUs, want all 8 cores", whole.AllocCores, whole.AllocGPUs)
	} else {
		t.Logf("GPUs of the exclusive job: %d", whole.AllocGPUs)
	}
}
