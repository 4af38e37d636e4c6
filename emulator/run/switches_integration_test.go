//go:build integration

package run_test

import (
	"path/filepath"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

// Jobs keep to their --switches on a tree of unequal branches (sbatch(1)), under Slurm's own policy and under an agent. Below its leaf switches are
// nodes 1, 2 and 5, nodes 3 and 4, and nodes 6 to 9. Job 1 fits below the third alone. Job 2 takes two nodes of the first, so that job 3 fits below
// the second alone. When job 3 has ended, three nodes are idle, but below two switches: job 4 waits for the end of job 1. Job 5 names nodes of two.
func TestSwitches(t *testing.T) {
	t.Parallel()
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.External(), file(t, "uneven.yaml", "name: uneven\nnodes: 9\ncores: 8\nswitches:\n  list:\n    - {name: a, nodes: \"n[1-2,5]\"}\n"+
				"    - {name: b, nodes: \"n[3-4]\"}\n    - {name: c, nodes: \"n[6-9]\"}\n    - {name: mid, switches: \"a,b\"}\n    - {name: top, switches: \"mid,c\"}\n"),
				file(t, "switches.csv", "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,nodelist,switches\n"+
					"1,0,200,600,4,32,8,0,0,0,a,,1\n2,0,900,1200,2,16,8,0,0,0,a,n[1-2],0\n3,0,100,600,2,16,8,0,0,0,a,,1\n4,30,60,600,3,24,8,0,0,0,a,,1\n5,40,60,600,2,16,8,0,0,0,a,n[5-6],0\n"), name, 0)
			c.Dir = filepath.Join(t.TempDir(), "switches")
			r := carriedOut(t, c)
			proven(t, r.Run, nil)
			leafOf := []int{0, 0, 1, 1, 0, 2, 2, 2, 2}
			for i, want := range []int{1, 1, 1, 1, 2} {
				leaves := map[int]bool{}
				for _, n := range r.Jobs[i].Allocated {
					leaves[leafOf[n]] = true
				}
				if len(leaves) != want {
					t.Errorf("job %d is on nodes %v below %d leaf switches, want %d", i+1, r.Jobs[i].Allocated, len(leaves), want)
				}
			}
			if wait := r.Jobs[3].Waiting(); wait < 165 {
				t.Errorf("job 4 waited %g s on nodes %v, want the rest of job 1", wait, r.Jobs[3].Allocated)
			}
			// Job 5 is below two leaf switches where one has as many nodes, each other job below as few as possible.
			if got := r.Metrics.SwitchSpread; got == nil || got.Mean != 1.2 {
				t.Errorf("switch spread %+v, want (1 + 1 + 1 + 1 + 2) / 5", got)
			}
		})
	}
}
