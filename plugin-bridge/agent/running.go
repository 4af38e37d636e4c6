package agent

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// runningJob is a job that runs on the nodes of the given numbers, in ascending order.
func runningJob(j slurmctl.QueuedJob, nodes []int) RunningJob {
	held := machine.Allocation{Nodes: nodes, Cores: evenly(j.CPUs, len(nodes)), GPUs: j.GPUsPerNode}
	return RunningJob{
		ID: j.ID, Holding: machine.Holding{Job: workloadID(j), Allocation: held}, Started: j.Start, Limit: j.TimeLimit,
	}
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
