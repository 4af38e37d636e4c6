package agent

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

func (a *Agent) multifactor() bool { return a.options.Priority == priority.Multifactor }

// prioritise gives the held jobs the priorities that priority/multifactor would,
// and sorts them, the most urgent first; jobs of one priority go by submission
// (sort_job_queue2 in src/slurmctld/job_scheduler.c). A job that is held for the
// agent ages all the same: in the papers' Slurm it would wait without a hold.
//
// Under priority/basic the priority of a job is one less than the lowest one before
// it, less its nice value (priority_p_set in
// src/plugins/priority/basic/priority_basic.c). So only a negative nice value, which
// takes an operator, changes the order.
//
// Of either order jobs in a partition of a higher tier come first (sort_job_queue2).
func (a *Agent) prioritise(state State) {
	defer slices.SortStableFunc(state.Held, func(x, y HeldJob) int { return cmp.Compare(y.Tier, x.Tier) })
	if !a.multifactor() {
		lowest, ranks := 0, make(map[int]int, len(state.Held))
		for _, h := range state.Held {
			ranks[h.ID] = lowest - 1 - h.Nice
			lowest = min(lowest, ranks[h.ID])
		}
		slices.SortStableFunc(state.Held, func(x, y HeldJob) int { return cmp.Compare(ranks[y.ID], ranks[x.ID]) })
		return
	}
	machine := priority.Machine{Nodes: len(state.Nodes)}
	for _, n := range state.Nodes {
		machine.Cores += n.Cores
	}
	now, weights := a.options.Now(), priority.IPSCHED()
	for i, h := range state.Held {
		state.Held[i].Request.Priority = float64(weights.Of(priority.WaitingJob{
			Age: now.Sub(h.Submit), Nodes: leastNodes(h), Cores: h.Request.Tasks(),
		}, machine) - h.Nice)
	}
	slices.SortStableFunc(state.Held, func(x, y HeldJob) int { return cmp.Compare(y.Request.Priority, x.Request.Priority) })
}

// leastNodes is the number of nodes by which Slurm computes the priority of a job. It is the number in -N. Without -N
// it is as many as the tasks need if the job has tasks per node, else 1.
func leastNodes(h HeldJob) int {
	r := h.Request
	if r.Nodes == 0 && r.CoresPerNode > 0 {
		return r.Cores / r.CoresPerNode
	}
	return max(1, r.Nodes)
}

// nice is the nice value that a released job gets so that Slurm starts it after all jobs that were released before
// it, whatever their priorities. Slurm takes the nice value off the priority, so the value rises from release to
// release by more than the highest priority. Slurm allows whole numbers down to -2^31 + 3. After about 99,000
// releases, when the first jobs are long gone, the numbers start over.
func nice(released int) int {
	const least = -2_000_000_000
	step := priority.IPSCHED().Max() + 1
	return least + released%(-least/step)*step
}
