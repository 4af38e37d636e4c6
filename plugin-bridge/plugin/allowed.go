package plugin

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// allowed says what a alloc has that the job does not ask for, whatever is free.
func (j *judge) allowed(job bidding.Job, alloc machine.Allocation) *Fault {
	impossible := func(format string, args ...any) *Fault { return faultf(KindImpossible, job.ID, format, args...) }
	k, n := len(alloc.Nodes), job.Tasks()
	if least, most := nodesOf(job); k < least || k > most {
		if least == most {
			return impossible("it gets %d nodes and asks for %d", k, least)
		}
		return impossible("it gets %d nodes and asks for %d to %d", k, least, most)
	}
	if least, most := job.GPUs, max(job.GPUs, job.MaxGPUs); alloc.GPUs < least || alloc.GPUs > most {
		if least == most {
			return impossible("it gets %d GPUs a node and asks for %d", alloc.GPUs, least)
		}
		return impossible("it gets %d GPUs a node and asks for %d to %d", alloc.GPUs, least, most)
	}
	if alloc.Cores != nil {
		if len(alloc.Cores) != k {
			return impossible("it gets %d numbers of cores for %d nodes", len(alloc.Cores), k)
		}
		if slices.Min(alloc.Cores) < 1 {
			return impossible("it gets a node without a core")
		}
		if total := alloc.TotalCores(); total != n {
			return impossible("it gets %d cores and asks for %d", total, n)
		}
		if t := job.CoresPerNode; t > 0 && (slices.Min(alloc.Cores) != t || slices.Max(alloc.Cores) != t) {
			return impossible("it gets cores %s and asks for %d on each node", machine.RunLength(alloc.Cores), t)
		}
	}
	if job.Contiguous && !machine.Contiguous(alloc.Nodes) {
		return impossible("its nodes are not neighbours, and it asks for --contiguous")
	}
	return j.options(job, alloc.Nodes)
}

// options says which option of the job the nodes do not keep to.
func (j *judge) options(job bidding.Job, nodes []int) *Fault {
	all := j.snapshot.Nodes
	for _, n := range nodes {
		if !job.Options.Admits(n, all[n]) {
			return faultf(KindImpossible, job.ID, "it may not use node %s", all[n].Name)
		}
	}
	for _, n := range job.Options.Required {
		if !slices.Contains(nodes, n) {
			return faultf(KindImpossible, job.ID, "it does not get node %s, which it requires", all[n].Name)
		}
	}
	leaves := map[int]bool{}
	for _, n := range nodes {
		if len(all[n].Switches) > 0 {
			leaves[all[n].Switches[0]] = true
		}
	}
	if most := job.Options.Switches; most > 0 && len(leaves) > most {
		return faultf(KindImpossible, job.ID, "its nodes are below %d leaf switches, and it asks for at most %d", len(leaves), most)
	}
	return nil
}

// nodesOf are the fewest and the most nodes that a job may get.
func nodesOf(job bidding.Job) (least, most int) {
	switch {
	case job.CoresPerNode > 0:
		k := job.Tasks() / job.CoresPerNode
		return k, k
	case job.Nodes > 0:
		return job.Nodes, max(job.Nodes, job.MaxNodes)
	default:
		return 1, job.Tasks()
	}
}
