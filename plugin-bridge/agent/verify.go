package agent

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// compare checks nodes, cores per node and GPUs of a started job against its
// plan. A job that Slurm no longer knows counts as not exact: its placement
// was not proven.
func compare(f releasedJob, got Allocated, known bool, nodes []machine.Node) trace.Placement {
	planned := Allocated{Nodes: f.Nodes, Cores: f.Cores, GPUs: f.GPUs * len(f.Nodes)}
	if f.exclusive {
		planned.GPUs = 0
		for _, n := range f.Nodes {
			planned.GPUs += nodes[n].GPUs
		}
	}
	exact := known && slices.Equal(got.Nodes, planned.Nodes) && slices.Equal(got.Cores, planned.Cores) && got.GPUs == planned.GPUs
	checked := trace.Placement{Job: f.Job, Exact: exact}
	if exact {
		return checked
	}
	checked.Planned = planned.describe(nodes)
	checked.Actual = "unknown to Slurm"
	if known {
		checked.Actual = got.describe(nodes)
	}
	return checked
}

func (a Allocated) describe(nodes []machine.Node) string {
	return fmt.Sprintf("%s cores %s gpus %d", values.CompressHosts(machine.Names(nodes, a.Nodes)), machine.RunLength(a.Cores), a.GPUs)
}
