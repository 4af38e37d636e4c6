package metric

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// use is what jobs hold on a node.
type use struct{ cores, gpus int }

// EvenShare spreads cores over nodes: every node gets the quotient and the
// first ones one more until the remainder is used, none less than one core or
// more than perNode. Accounting tells the cores of a job, not those per node.
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
// in use from then on. Jobs that took no time hold nothing. Cores are spread by
// EvenShare; GPUs are the same on each node, as they are asked for per node.
func sweep(m workloads.Machine, jobs []trace.Job, visit func(t float64, node int, u use)) {
	type event struct {
		t    float64
		sign int
		job  int
	}
	var events []event
	for i, j := range jobs {
		if len(j.Allocated) > 0 && j.Finish > j.Start {
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
