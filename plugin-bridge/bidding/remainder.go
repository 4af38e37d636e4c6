package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Remainders returns a class R bid for each type 1 job that may share nodes, names none and fits into what the
// winners of the rigid jobs (types 2 and 3) leave over. It goes in window order and subtracts each job's cores before
// the next. A bid is left out when the job has the same one in bids already. Without BidOptions.Remainders there are
// none.
//
// An R bid is packed: Slurm takes all free cores of its nodes, and from the last node
// those that are still missing. Slurm gives this layout only after the winners have
// started, so that R bids are released last. No job runs on the nodes of an R bid:
// only the winners can change what is free there. Its preference is half of the least
// preference of the job's other bids.
func (g *Generator) Remainders(bids, rigid []Bid) []Bid {
	if !g.options.Remainders {
		return nil
	}
	least := make([]float64, len(g.jobs))
	own := make([][]Bid, len(g.jobs))
	for _, b := range bids {
		if len(own[b.Job]) == 0 || b.Preference < least[b.Job] {
			least[b.Job] = b.Preference
		}
		own[b.Job] = append(own[b.Job], b)
	}
	left := slices.Clone(g.nodes)
	won := make([]bool, len(g.jobs))
	for _, b := range rigid {
		machine.Take(left, b.Allocation)
		won[b.Job] = true
	}
	idle := make([]machine.Node, len(left))
	var found []Bid
	for j, job := range g.jobs {
		if job.Type() != Type1 || won[j] || job.Options.Exclusive || len(job.Options.Required) > 0 || !g.licences.Cover(job.Options.Licences) {
			continue
		}
		copy(idle, left)
		for i := range idle {
			if !g.nodes[i].Idle() || g.rules[j].key != "" && !job.Options.Allows(i, left[i], 1) {
				idle[i].FreeCores = 0
			}
			idle[i].FreeCores = idle[i].Usable(job.Options.MemoryPerCore)
		}
		nodes := remainder(idle, job)
		if nodes == nil || job.Options.TooMany(len(nodes)) || !g.tree.allows(job.Options, nodes) {
			continue
		}
		b := Bid{Job: j, Class: ClassR, Preference: 0.5, Allocation: machine.Allocation{
			Nodes: nodes, GPUs: job.GPUs, MemoryPerNode: job.Options.MemoryPerNode, MemoryPerCore: job.Options.MemoryPerCore,
		}}
		if len(own[j]) > 0 {
			b.Preference = least[j] / 2
		}
		if g.options.FewestNodes {
			b.Preference = onFewest(ClassR, g.fewest(j, 0, len(nodes)), len(nodes))
		}
		free := make([]int, len(nodes))
		for i, n := range nodes {
			free[i] = idle[n].FreeCores
		}
		var err error
		if b.Cores, err = machine.Place(free, machine.Request{Tasks: job.Tasks()}); err != nil {
			continue
		}
		if !machine.Fits(left, b.Allocation) {
			continue
		}
		machine.Take(left, b.Allocation)
		if !slices.ContainsFunc(own[j], b.Same) {
			found = append(found, b)
		}
	}
	return found
}

// remainder chooses nodes whose free cores reach the job's: from the beginning
// of the block with the fewest cores that suffice, else of as few blocks as
// possible. It returns nil if there are none.
func remainder(nodes []machine.Node, job Job) []int {
	blocks := machine.Nodesets(nodes, 1, job.GPUs)
	slices.SortStableFunc(blocks, func(a, b machine.Nodeset) int { return b.Cores - a.Cores })
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
