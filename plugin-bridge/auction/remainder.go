package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Remainders returns a class R bid for each type 1 job that may share nodes,
// names none and fits into what the
// winners of the rigid jobs (types 2 and 3) leave over, in window order, each
// job's cores being subtracted before the next. A bid is left out when the job
// has the same one in bids already.
//
// An R bid is packed: Slurm takes all free cores of its nodes and the rest from
// the last one. That is the wanted layout only if the winners start before it,
// see [Order]. By default its nodes are shared with no running job, so that
// only the winners can change what is free; with Options.UnstableRemainders it
// falls back on any nodes, and a job that ends between snapshot and start then
// changes its layout. Its preference is half of the least of the job's others.
func Remainders(s Snapshot, bids, rigid []Bid, o Options) []Bid {
	s = o.restrict(s)
	least := make([]float64, len(s.Jobs))
	own := make([][]Bid, len(s.Jobs))
	for _, b := range bids {
		if len(own[b.Job]) == 0 || b.Preference < least[b.Job] {
			least[b.Job] = b.Preference
		}
		own[b.Job] = append(own[b.Job], b)
	}
	network := newTree(s.Nodes)
	left := slices.Clone(s.Nodes)
	won := make([]bool, len(s.Jobs))
	for _, b := range rigid {
		take(left, b)
		won[b.Job] = true
	}
	allowed, settled := make([]nodeset.Node, len(left)), make([]nodeset.Node, len(left))
	var found []Bid
	for j, job := range s.Jobs {
		if job.Type() != Type1 || won[j] || job.Options.Exclusive || len(job.Options.Required) > 0 || !Covers(s.Licences, job.Options.Licences) {
			continue
		}
		copy(allowed, left)
		if r := newRule(job.Options); r.key != "" {
			for i := range allowed {
				if !r.allows(i, allowed[i], 1) {
					allowed[i].FreeCores = 0
				}
			}
		}
		copy(settled, allowed)
		for i := range settled {
			if !s.Nodes[i].Idle() {
				settled[i].FreeCores = 0
			}
		}
		nodes := remainder(settled, job)
		if nodes == nil && o.UnstableRemainders {
			nodes = remainder(allowed, job)
		}
		if nodes == nil || !network.allows(job.Options, nodes) {
			continue
		}
		b := Bid{Job: j, Class: ClassR, Nodes: nodes, GPUs: job.GPUs, Preference: 0.5,
			MemoryPerNode: job.Options.MemoryPerNode, MemoryPerCore: job.Options.MemoryPerCore}
		if len(own[j]) > 0 {
			b.Preference = least[j] / 2
		}
		free := make([]int, len(nodes))
		for i, n := range nodes {
			free[i] = left[n].FreeCores
		}
		var err error
		if b.Cores, err = Place(free, Request{Tasks: job.Tasks()}); err != nil {
			continue
		}
		if b.lacksMemory(left) {
			continue
		}
		take(left, b)
		if !slices.ContainsFunc(own[j], b.same) {
			found = append(found, b)
		}
	}
	return found
}

// remainder chooses nodes whose free cores reach the job's: from the beginning
// of the block with the fewest cores that suffice, else of as few blocks as
// possible. It returns nil if there are none.
func remainder(nodes []nodeset.Node, job Job) []int {
	blocks := nodeset.Sets(nodes, 1, job.GPUs)
	slices.SortStableFunc(blocks, func(a, b nodeset.Set) int { return b.Cores - a.Cores })
	enough := 0
	for enough < len(blocks) && blocks[enough].Cores >= job.Tasks() {
		enough++
	}
	switch {
	case enough > 0:
		blocks = blocks[enough-1 : enough]
	case job.Contiguous:
		return nil
	}
	cores := 0
	var chosen []int
	for _, b := range blocks {
		if cores >= job.Tasks() {
			break
		}
		cores += b.Cores
		chosen = append(chosen, indices(b.First, b.Len())...)
	}
	if cores < job.Tasks() {
		return nil
	}
	// The rule fills nodes in natural order: the nodes not needed are the last.
	slices.Sort(chosen)
	cores = 0
	for i, n := range chosen {
		if cores += nodes[n].FreeCores; cores >= job.Tasks() {
			return chosen[:i+1]
		}
	}
	return nil
}
