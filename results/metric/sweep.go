package metric

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// use is what jobs hold on a node.
type use struct{ cores, gpus int }

// EvenShare spreads the cores of a job over its nodes, since Slurm's accounting has
// only their sum: 10 cores on 4 nodes are 3, 3, 2 and 2. No node gets less than one
// core or more than perNode.
func EvenShare(cores, nodes, perNode int) []int {
	share := make([]int, nodes)
	for i := range share {
		share[i] = evenShare(i, cores, nodes, perNode)
	}
	return share
}

// evenShare is what the i-th node gets.
func evenShare(i, cores, nodes, perNode int) int {
	c := cores / nodes
	if i < cores%nodes {
		c++
	}
	return min(max(c, 1), perNode)
}

// sweep goes through the ends and starts of jobs in the order of time, ends
// before starts at the same instant, and tells for each node concerned what is
// in use from then on. Jobs that ended in the second of their start hold nothing. Cores are spread by
// EvenShare; GPUs are the same on each node, as they are asked for per node.
func sweep(m workloads.Machine, jobs []trace.FinishedJob, visit func(t float64, node int, u use)) {
	type event struct {
		t    float64
		sign int
		job  int
	}
	var events []event
	for i, j := range jobs {
		if j.Started() && j.Finish > j.Start {
			events = append(events, event{j.Start, 1, i}, event{j.Finish, -1, i})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.sign, b.sign))
	})
	inUse := make([]use, m.Nodes)
	for _, e := range events {
		j := jobs[e.job]
		gpus := j.GPUsPerNode()
		for i, n := range j.Allocated {
			inUse[n].cores += e.sign * evenShare(i, j.AllocCores, len(j.Allocated), m.Cores)
			inUse[n].gpus += e.sign * gpus
			visit(e.t, n, inUse[n])
		}
	}
}
