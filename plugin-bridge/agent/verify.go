package agent

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// compare checks nodes, cores per node and GPUs of a started job against its
// plan. A job that Slurm no longer knows counts as not exact: its placement
// was not proven.
func compare(f flight, p Placement, known bool, nodes []nodeset.Node) trace.Placement {
	gpus := f.bid.GPUs * len(f.bid.Nodes)
	if f.bid.Exclusive {
		gpus = 0
		for _, n := range f.bid.Nodes {
			gpus += nodes[n].GPUs
		}
	}
	exact := known && slices.Equal(p.Nodes, f.bid.Nodes) && slices.Equal(p.Cores, f.bid.Cores) && p.GPUs == gpus
	checked := trace.Placement{Job: f.job, Exact: exact}
	if exact {
		return checked
	}
	checked.Planned = describePlacement(f.bid.Nodes, f.bid.Cores, gpus, nodes)
	checked.Actual = "unknown to Slurm"
	if known {
		checked.Actual = describePlacement(p.Nodes, p.Cores, p.GPUs, nodes)
	}
	return checked
}

func describePlacement(indices, cores []int, gpus int, nodes []nodeset.Node) string {
	return fmt.Sprintf("%s cores %s gpus %d", hostlistOf(indices, nodes), auction.RunLength(cores), gpus)
}

func hostlistOf(indices []int, nodes []nodeset.Node) string {
	names := make([]string, len(indices))
	for i, n := range indices {
		names[i] = nodes[n].Name
	}
	return hostlist.Compress(names)
}
