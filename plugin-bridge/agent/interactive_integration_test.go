//go:build integration

package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
)

// "We have modified the options processing files for sbatch, srun, and salloc; which are various job submission
// commands used in SLURM. [...] We extend this capability by allowing the user to submit the job by srun -n x
// --gres=gpu:zmin-zmax, which allows the job to request at least zmin, at most zmax GPUs per node" (AUCSCHED2 section
// 3). Here the three commands and Slurm are unmodified. Each of the jobs gets a node and its three GPUs, and its
// tasks run there.
func TestGPURangesOfEachCommandOnSlurm(t *testing.T) {
	for _, on := range (backend.List{backendtest.FrontEnd(), backendtest.OnNodes()}) {
		t.Run(on.Name(), func(t *testing.T) { testEachCommand(t, on) })
	}
}

func testEachCommand(t *testing.T, on backend.Backend) {
	t.Parallel()
	client, r := boot(t, on, slurm.WithMachine(3, 8, 3))
	r.shell(t, `cd /tmp
cat > own <<'END'
#!/bin/bash
scontrol -o show job $SLURM_JOB_ID | grep -o 'TresPerNode=[^ ]*'
END
chmod +x own
ask="-N 1 -n 2 --gres=gpu:1-3"
setsid srun -Q -J 1 $ask /tmp/own </dev/null >1.out 2>&1 &
setsid salloc -Q -J 2 $ask srun -n 2 /tmp/own </dev/null >2.out 2>&1 &
sbatch -J 3 $ask -o /tmp/3.out --wrap 'srun -n 2 /tmp/own'
`)
	cluster := agent.NewSlurm(client, client)
	until(t, "three jobs are held", func() bool {
		state, err := cluster.State(t.Context())
		return err == nil && len(state.Held) == 3
	})
	a := agent.New(cluster, auctiontest.Exhaustive{}, agent.Settings{Auction: auctiontest.Options(), Window: 10, Patience: 100})
	record, err := a.Cycle(t.Context(), 0)
	if err != nil || !slices.Equal(released(record), []int{1, 2, 3}) {
		t.Fatalf("%+v, %v, want three jobs released", record, err)
	}
	const want = "TresPerNode=gres/gpu:3\nTresPerNode=gres/gpu:3\n"
	for _, job := range []string{"1", "2", "3"} {
		out := ""
		until(t, "job "+job+" writes", func() bool {
			out = r.shell(t, "cat /tmp/"+job+".out || true\n")
			return strings.Count(out, "\n") >= 2
		})
		if out != want {
			t.Errorf("job %s: its tasks say %q, want %q", job, out, want)
		}
	}
}

// Nodes without a slurmd have nobody who would run a step, so srun and salloc are refused
// with a sentence; sbatch takes ranges there (TestGPURangeOnSlurm).
func TestNoInteractiveJobsOnExternalNodes(t *testing.T) {
	t.Parallel()
	_, r := boot(t, backendtest.External(), slurm.WithMachine(1, 8, 3))
	for _, command := range []string{"srun", "salloc"} {
		out := r.shell(t, command+" -n 1 --gres=gpu:1-3 true </dev/null 2>&1 || true\n")
		if !strings.Contains(out, "srun and salloc need nodes with a slurmd: use a cluster of --backend frontend or slurmd") {
			t.Errorf("%s: told %q", command, out)
		}
	}
}
