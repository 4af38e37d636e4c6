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
	licences := slices.Clone(g.snapshot.Licences)
	for j, job := range g.snapshot.Jobs {
		if !Covers(licences, job.Options.Licences) {
			continue
		}
		for _, sh := range g.leastShapes(j) {
			at, ok := g.firstFit(j, left, sh)
			if !ok {
				continue
			}
			bid, ok := g.bid(j, sh, at)
			if !ok {
				continue
			}
			found[j] = &placed{sh, at}
			take(left, bid)
			for _, l := range job.Options.Licences {
				licences = append(licences, Licence{l.Name, -l.Count})
			}
			break
		}
	}
	return found
}

// firstFit returns a spot for the shape on the nodes left: below the fullest of
// the lowest switches that have room, in a flat network as [fit] has it.
func (g *generator) firstFit(j int, left []nodeset.Node, sh shape) (spot, bool) {
	blocks := g.rules[j].sets(left, sh)
	if len(g.snapshot.Jobs[j].Options.Required) > 0 {
		spots, _ := g.around(j, sh, newPlaces(blocks), 1)
		if len(spots) == 0 {
			return spot{}, false
		}
		return spots[0], true
	}
	contiguous := g.snapshot.Jobs[j].Contiguous
	var nodes []int
	if len(g.tree) == 0 {
		nodes = fit(blocks, sh.nodes, contiguous)
	} else if found := g.tree.below(newPlaces(blocks).nodes, sh.nodes, contiguous); len(found) > 0 {
		nodes = found[0]
	}
	if nodes == nil {
		return spot{}, false
	}
	return g.locate(j, sh, nodes), true
}

// locate tells the class that nodes have among the nodesets of the snapshot.
func (g *generator) locate(j int, sh shape, nodes []int) spot {
	p := g.placesFor(j, sh)
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

// take subtracts a bid from the nodes' free counts. An exclusive bid takes GPUs
// that it does not count; without cores these are of no use to others.
func take(nodes []nodeset.Node, b Bid) {
	for i, n := range b.Nodes {
		nodes[n].FreeCores -= b.Cores[i]
		nodes[n].FreeGPUs -= b.GPUs
		nodes[n].FreeMemory -= b.Memory(i)
	}
}

// leastShapes returns the shapes with the fewest GPUs, request by request.
func (g *generator) leastShapes(j int) []shape {
	var all []shape
	for i, c := range g.choices[j] {
		if i+1 == len(g.choices[j]) || g.choices[j][i+1].alternative != c.alternative {
			all = append(all, g.shapes[j][i]...)
		}
	}
	return all
}
