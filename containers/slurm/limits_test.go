package slurm

import (
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// docs/design/018-limits.md: the limits grow with the nodes, the jobs and the jobs that
// can run at a time, and an agent has room for its solver.
func TestLimits(t *testing.T) {
	nodes := boot.Nodes{PerNode: boot.Footprint{Memory: 64 << 10}, PerJob: boot.Footprint{Memory: 16 << 20, Processes: 64}}
	machine := conf.Spec{Nodes: 128, Cores: 8}
	agent := machine
	agent.Scheduler.External = true
	large := conf.Spec{Nodes: 10_000, Cores: 12}
	for _, tt := range []struct {
		name string
		spec conf.Spec
		jobs int
		want limits
	}{
		{"no job", machine, 0, limits{Memory: 512<<20 + 2<<30 + 8<<20, Files: 1 << 30, Processes: 2048}},
		{"few jobs", machine, 16, limits{Memory: 512<<20 + 2<<30 + 8<<20 + 2<<20 + 256<<20, Files: 1<<30 + 2<<20, Processes: 2048 + 1024}},
		{"an agent", agent, 0, limits{Memory: 512<<20 + 8<<30 + 8<<20, Files: 1 << 30, Processes: 2048}},
		{"more jobs than cores", machine, 2048, limits{Memory: 512<<20 + 2<<30 + 8<<20 + 256<<20 + 16<<30, Files: 1<<30 + 256<<20, Processes: 2048 + 64<<10}},
		// More than 4194304 is refused by the kernel: "write .../pids.max: invalid argument".
		{"jobs beyond what the kernel has", large, 100_000, limits{
			Memory: 512<<20 + 2<<30 + 625<<20 + 100_000*(128<<10+16<<20), Files: 1<<30 + 100_000*(128<<10), Processes: 4_194_304,
		}},
	} {
		if got := limitsFor(tt.spec, nodes, tt.jobs); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
