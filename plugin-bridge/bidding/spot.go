package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// nodesets are the ones that can hold a shape. Their nodes are one array, so that
// every spot of neighbouring sets is a slice of it.
type nodesets struct {
	sets []machine.Nodeset
	// nodes are the indices of all nodes of the sets, ascending; setOf names
	// the set of each.
	nodes, setOf []int
	// before[i] is the number of nodes in the sets before set i; its last
	// element is len(nodes).
	before []int
}

func newNodesets(sets []machine.Nodeset) nodesets {
	p := nodesets{sets: sets, before: []int{0}}
	for i, s := range sets {
		for n := s.First; n <= s.Last; n++ {
			p.nodes = append(p.nodes, n)
			p.setOf = append(p.setOf, i)
		}
		p.before = append(p.before, len(p.nodes))
	}
	return p
}

// spot is where a shape fits: its nodes, and the number of nodesets that these come
// from, |S_c| of AUCSCHED equation (12).
type spot struct {
	class Class
	nodes []int
	sets  int
}

// finder finds the spots of shapes: on which nodes a job could lie. It does not ask
// the placement rule whether Slurm gives the job its cores there.
type finder struct {
	nodes []machine.Node
	jobs  []Job
	rules []rule // of each job
	tree  tree
	// nodesets and underSwitches cache nodesetsFor and under.
	nodesets      map[nodesetsKey]nodesets
	underSwitches map[underKey][]spot
}

type nodesetsKey struct {
	need, gpus, weight int
	idle               bool
	rule               string
}

func newFinder(nodes []machine.Node, jobs []Job) *finder {
	f := &finder{
		nodes: nodes, jobs: jobs, tree: newTree(nodes),
		nodesets: make(map[nodesetsKey]nodesets), underSwitches: make(map[underKey][]spot),
	}
	for _, j := range jobs {
		f.rules = append(f.rules, newRule(j.Options))
	}
	return f
}

func (f *finder) keyOf(j int, sh shape) nodesetsKey {
	return nodesetsKey{sh.need, sh.gpus, sh.weight, sh.idle, f.rules[j].key}
}

// nodesetsFor returns the nodesets that can hold the job's shape.
func (f *finder) nodesetsFor(j int, sh shape) nodesets {
	key := f.keyOf(j, sh)
	p, known := f.nodesets[key]
	if !known {
		p = newNodesets(f.rules[j].sets(f.nodes, sh))
		f.nodesets[key] = p
	}
	return p
}

// aligner returns the aligner of a shape for a job.
func (f *finder) aligner(j int, sh shape) aligner {
	return aligner{nodesets: f.nodesetsFor(j, sh), length: sh.nodes, turn: j}
}

// generates reports whether a spot is one that the job bids for in any case, even
// without the order of the queue.
func (f *finder) generates(j int, sh shape, at spot) bool {
	if len(f.jobs[j].Options.Required) == 0 {
		return hasNodes(f.under(j, sh), at) || f.aligner(j, sh).generates(at)
	}
	spots, _ := f.around(j, sh, f.nodesetsFor(j, sh), len(f.nodes))
	return slices.ContainsFunc(spots, func(s spot) bool { return slices.Equal(s.nodes, at.nodes) })
}

// firstFit returns a spot for the shape on the nodes left: below the fullest of
// the lowest switches that have room for it, in a flat network where [fit] puts it.
func (f *finder) firstFit(j int, left []machine.Node, sh shape) (spot, bool) {
	blocks := f.rules[j].sets(left, sh)
	if len(f.jobs[j].Options.Required) > 0 {
		spots, _ := f.around(j, sh, newNodesets(blocks), 1)
		if len(spots) == 0 {
			return spot{}, false
		}
		return spots[0], true
	}
	contiguous := f.jobs[j].Contiguous
	var nodes []int
	if len(f.tree) == 0 {
		nodes = fit(blocks, sh.nodes, contiguous)
	} else if found := f.tree.below(newNodesets(blocks).nodes, sh.nodes, contiguous); len(found) > 0 {
		nodes = found[0]
	}
	if nodes == nil {
		return spot{}, false
	}
	return f.locate(j, sh, nodes), true
}

// locate returns the spot of some nodes, with the class that they have among the
// nodesets that can hold the shape.
func (f *finder) locate(j int, sh shape, nodes []int) spot {
	p := f.nodesetsFor(j, sh)
	at := spot{class: ClassC, nodes: nodes}
	if machine.Contiguous(nodes) {
		position, _ := slices.BinarySearch(p.nodes, nodes[0])
		set := p.sets[p.setOf[position]]
		at.class, at.sets = ClassB, 1
		if nodes[0] == set.First || nodes[len(nodes)-1] == set.Last {
			at.class = ClassA
		}
		return at
	}
	// AUCSCHED says "For type C bids |S_c| > 1", though two blocks of nodes may lie
	// in the same nodeset. Each block counts like a nodeset of its own.
	at.sets = 1
	for i := 1; i < len(nodes); i++ {
		if nodes[i] != nodes[i-1]+1 {
			at.sets++
		}
	}
	return at
}
