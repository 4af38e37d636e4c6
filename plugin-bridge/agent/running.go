package agent

import (
	"maps"
	"slices"
	"time"

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

// Pace is the time from one prompt cycle to the next while jobs wait, at most the given one.
func (a *Agent) Pace(most time.Duration) time.Duration { return a.pace.Interval(most) }

// ends tells the pace of the jobs that have ended since the last state, and lets jobs try again that Slurm kept waiting for a limit.
// Without a clock there is no pace but the policy's.
func (a *Agent) ends(state State) {
	started := make(map[int]time.Time, len(state.Running))
	for _, r := range state.Running {
		started[r.ID] = r.Started
	}
	for _, id := range slices.Sorted(maps.Keys(a.started)) {
		if _, runs := started[id]; !runs {
			clear(a.capped)
			if a.options.Now != nil {
				a.pace.Ended(max(0, a.options.Now().Sub(a.started[id])))
			}
		}
	}
	a.started = started
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
