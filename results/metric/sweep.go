package metric

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// use is what jobs hold on a node.
type use struct{ cores, gpus int }

// EvenShare spreads the cores of a job over its nodes, since Slurm's accounting has only their sum: 10 cores on 4
// nodes are 3, 3, 2 and 2. No node gets less than one core or more than it has; what a small node cannot have goes to
// the others, the first ones first. sizes describe the machine's nodes, nodes are the job's indices.
func EvenShare(cores int, nodes []int, sizes []workloads.NodeSize) []int {
	share := make([]int, len(nodes))
	left := cores
	for i, n := range nodes {
		c := cores / len(nodes)
		if i < cores%len(nodes) {
			c++
		}
		share[i] = min(max(c, 1), sizes[n].Cores)
		left -= share[i]
	}
	for room := true; left > 0 && room; {
		room = false
		for i, n := range nodes {
			if left > 0 && share[i] < sizes[n].Cores {
				share[i]++
				left--
				room = true
			}
		}
	}
	return share
}

// sweep goes through the ends and starts of jobs in the order of time, ends before starts at the same instant. It
// calls visit for each node concerned with what is in use from then on. Jobs that ended in the second of their start
// hold nothing. Cores are spread by EvenShare. GPUs are the same on each node, as they are asked for per node, except
// that an exclusive job has all of its nodes.
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
	sizes := m.Sizes()
	for _, e := range events {
		j := jobs[e.job]
		gpus := j.GPUsPerNode()
		share := EvenShare(j.AllocCores, j.Allocated, sizes)
		for i, n := range j.Allocated {
			inUse[n].cores += e.sign * share[i]
			if j.Exclusive {
				gpus = sizes[n].GPUs
			}
			inUse[n].gpus += e.sign * gpus
			visit(e.t, n, inUse[n])
		}
	}
}
