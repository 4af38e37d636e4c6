package agent

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// runningJob reads where a job runs. index finds nodes by name.
func runningJob(j slurmctl.QueuedJob, index map[string]int) (RunningJob, error) {
	nodes, err := indices(j.NodeList, index)
	slices.Sort(nodes)
	held := machine.Allocation{Nodes: nodes, Cores: evenly(j.CPUs, len(nodes)), GPUs: j.GPUsPerNode}
	return RunningJob{
		ID: j.ID, Holding: machine.Holding{Job: workloadID(j), Allocation: held}, Started: j.Start, Limit: j.TimeLimit,
	}, err
}

// evenly spreads cores over nodes, the first ones having one more.
func evenly(cores, nodes int) []int {
	all := make([]int, nodes)
	for i := range all {
		all[i] = cores / nodes
		if i < cores%nodes {
			all[i]++
		}
	}
	return all
}
