package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// sequential starts the jobs of the window one after the other, each in the
// first of its shapes that fits what the jobs before it have left: "we first
// update our node information table as if that job had been scheduled"
// (AUCSCHED section 5). Of a GPU range a job takes the least here, as it would
// from Slurm, so that the jobs after it find no less than there. Jobs that do
// not fit any more have a nil entry.
func (g *generator) sequential() []*placed {
	found := make([]*placed, len(g.snapshot.Jobs))
	left := slices.Clone(g.snapshot.Nodes)
	for j, job := range g.snapshot.Jobs {
		for _, sh := range g.shapes[j][len(g.shapes[j])-1] {
			at, ok := g.firstFit(left, sh, job.Contiguous)
			if !ok {
				continue
			}
			bid, ok := g.bid(j, sh, at)
			if !ok {
				continue
			}
			found[j] = &placed{sh, at}
			take(left, bid)
			break
		}
	}
	return found
}

// firstFit returns a spot for the shape on the nodes left: the beginning of
// the shortest block that is long enough, else as few blocks as possible.
func (g *generator) firstFit(left []nodeset.Node, sh shape, contiguous bool) (spot, bool) {
	blocks := nodeset.Sets(candidates(left, sh.idle), sh.need, sh.gpus)
	var block *nodeset.Set
	for i, b := range blocks {
		if b.Len() >= sh.nodes && (block == nil || b.Len() < block.Len()) {
			block = &blocks[i]
		}
	}
	if block != nil {
		return g.locate(sh, indices(block.First, sh.nodes)), true
	}
	if contiguous {
		return spot{}, false
	}
	slices.SortStableFunc(blocks, func(a, b nodeset.Set) int { return b.Len() - a.Len() })
	var nodes []int
	for _, b := range blocks {
		nodes = append(nodes, indices(b.First, min(b.Len(), sh.nodes-len(nodes)))...)
		if len(nodes) == sh.nodes {
			slices.Sort(nodes)
			return g.locate(sh, nodes), true
		}
	}
	return spot{}, false
}

// locate tells the class that nodes have among the nodesets of the snapshot.
func (g *generator) locate(sh shape, nodes []int) spot {
	p := g.placesFor(sh)
	at := spot{class: ClassC, nodes: nodes}
	if contiguous(nodes) {
		position, _ := slices.BinarySearch(p.nodes, nodes[0])
		set := p.sets[p.setOf[position]]
		at.class, at.sets = ClassB, 1
		if nodes[0] == set.First || nodes[len(nodes)-1] == set.Last {
			at.class = ClassA
		}
		return at
	}
	// "For type C bids |S_c| > 1": blocks inside one nodeset count like
	// nodesets of their own.
	at.sets = 1
	for i := 1; i < len(nodes); i++ {
		if nodes[i] != nodes[i-1]+1 {
			at.sets++
		}
	}
	return at
}

// indices returns n indices from first on.
func indices(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}

// take subtracts a bid from the nodes' free counts.
func take(nodes []nodeset.Node, b Bid) {
	for i, n := range b.Nodes {
		nodes[n].FreeCores -= b.Cores[i]
		nodes[n].FreeGPUs -= b.GPUs
	}
}
