//go:build integration

package run_test

import (
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// Jobs of the three types of AUCSCHED section 4, with GPUs and blocks, that do not
// all fit at once on 8 nodes of 8 cores and 2 GPUs.
const mixed = `60 -n 40
90 -n 20 -N 4 --gres=gpu:1
60 -n 16 -N 4 --gres=gpu:2 --contiguous
120 -n 11
60 -n 16 -N 8 --ntasks-per-node=2
90 -n 24 --contiguous
60 -n 13 -N 3
60 -n 64
90 -n 6 -N 2 --gres=gpu:2
60 -n 29
`

// Each of the papers' programs schedules the real Slurm: every job ends, every
// placement is the planned one, and what could not be asked for has a reason. "make test" has two of each family, in which
// every word of the names occurs; "make test-long" has the others.
func TestPapersPolicies(t *testing.T) {
	t.Parallel()
	machine := file(t, "small.yaml", "name: small\nnodes: 8\ncores: 8\ngpus: 2\n")
	workload := file(t, "mixed.txt", mixed)
	for name, long := range map[string]bool{
		"ipsched": false, "ipsched-cores": true, "ipsched-multifactor": true, "ipsched-cores-multifactor": false,
		"auction1": true, "auction1-5s-5b-noslurm-blocks": false, "auction2": false, "auction2-5s-15b-noslurm": true,
	} {
		t.Run(name, func(t *testing.T) {
			if long {
				hosttest.Long(t, "runs the other policies of the papers")
			}
			t.Parallel()
			c := config(t, backendtest.Quick(), machine, workload, name, 0)
			data, m := complete(t, c)
			if m.Placement == nil || m.Placement.Checked != len(c.Jobs) || m.Placement.Exact != len(c.Jobs) {
				t.Errorf("placement %+v, want all %d exact", m.Placement, len(c.Jobs))
			}
			deferred, rearranged := 0, 0
			for _, cycle := range data.Cycles {
				rearranged += cycle.Rearranged
				for _, r := range cycle.Deferred {
					deferred++
					t.Logf("cycle %d: job %d deferred: %s", cycle.Cycle, r.Job, r.Reason)
					if r.Reason == "" {
						t.Errorf("cycle %d: job %d is deferred without a reason", cycle.Cycle, r.Job)
					}
				}
				for _, p := range cycle.Checked {
					if !p.Exact {
						t.Errorf("job %d: planned %s, got %s", p.Job, p.Planned, p.Actual)
					}
				}
				if len(cycle.Unplaced) > 0 {
					t.Errorf("cycle %d: %+v cannot be scheduled", cycle.Cycle, cycle.Unplaced)
				}
			}
			t.Logf("%d cycles, %d rearranged, %d deferred, run time %g s", len(data.Cycles), rearranged, deferred, m.Makespan)
		})
	}
}
