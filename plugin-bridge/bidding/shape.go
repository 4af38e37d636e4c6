package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// shape is a way to spread a job over nodes without saying which: the part of
// a bid that does not depend on where the bid lies. For example, 16 cores may have
// the shapes of 2 nodes with 8 cores each and of 4 nodes with 4 cores each.
type shape struct {
	// choice is the index of the request, one of the job's choices.
	choice int
	// weight is the most weight of its nodes, the largest number for any.
	weight int
	nodes  int // how many
	gpus   int // per node
	// need is the number of free cores that each node must have.
	need int
	// idle restricts the shape to idle nodes: no job can end on these, so that the
	// placement rule gives the same layout when the bid is started.
	idle bool
	// exclusive shapes take all cores of their nodes.
	exclusive bool
	// request is how Slurm is asked for the shape.
	request machine.Request
	// cores is T_in when it is the same wherever the shape lies, else nil.
	cores []int
}

// wholeTasks is Bid.Tasks of a bid with this shape.
func (sh shape) wholeTasks() int {
	if !sh.exclusive {
		return 0
	}
	return sh.request.Tasks
}

// shaper makes shapes. It holds what these depend on: how many nodes the job may have
// at most, and with how many cores.
type shaper struct {
	nodes int
	// cores is the largest number of cores that the job can take of a node.
	// homogeneous says that it can take as many of all nodes that it may have.
	cores       int
	homogeneous bool
	// fewest has jobs of type 1 bid for few numbers of nodes near their fewest.
	fewest bool
}

// newShaper returns the shaper of a job with such options on nodes of at most the weight.
func newShaper(nodes []machine.Node, o JobOptions, weight int, fewest bool) shaper {
	m := shaper{homogeneous: true, fewest: fewest}
	for i := range nodes {
		n := &nodes[i]
		cores := n.Most(o.MemoryPerCore)
		if cores < 1 || n.Weight > weight || !o.Admits(i, *n) {
			continue
		}
		m.homogeneous = m.homogeneous && (m.nodes == 0 || cores == m.cores)
		m.nodes++
		m.cores = max(m.cores, cores)
	}
	if o.MostNodes > 0 {
		m.nodes = min(m.nodes, o.MostNodes)
	}
	return m
}

// shapes returns the ways in which the job can be spread so that the layout is
// stable (machine.Stable). Where a job has not bids enough for all shapes, the
// first ones get them.
func (m shaper) shapes(j Job) []shape {
	n := j.Tasks()
	if j.Options.Exclusive {
		return m.whole(j)
	}
	switch j.Type() {
	case Type3:
		return m.even(n, n/j.CoresPerNode, j.GPUs)
	case Type2:
		return append(m.even(n, j.Nodes, j.GPUs), m.packed(n, j.Nodes, j.GPUs)...)
	default:
		return m.densities(n, j.GPUs)
	}
}

// whole returns the shape of an exclusive job: as few nodes as possible, unless
// it says how many. The job takes every core of its nodes, so that no other job can
// change its layout.
func (m shaper) whole(j Job) []shape {
	k := j.Nodes
	switch {
	case k > 0:
	case j.CoresPerNode > 0:
		k = j.Cores / j.CoresPerNode
	case m.cores > 0:
		k = max((j.Cores+m.cores-1)/m.cores, len(j.Options.Required))
	}
	if k == 0 || k > m.nodes || j.Tasks() < k {
		return nil
	}
	return []shape{{
		nodes: k, gpus: j.GPUs, need: max(1, j.CoresPerNode), exclusive: true,
		request: machine.Request{Tasks: j.Tasks(), TasksPerNode: j.CoresPerNode},
	}}
}

// densities returns the shapes of a type 1 job. There is one for each number of nodes that some t cores per node lead
// to, from the node's cores down to one, and full nodes with the rest on the last. The papers have "as few nodes as
// possible" alone, with which the example of IPSCHED Table I has no solution: there J1 must take 4 of 8 cores on
// every node.
func (m shaper) densities(n, gpus int) []shape {
	var all []shape
	previous := 0
	for t := m.cores; t >= 1; t-- {
		k := (n + t - 1) / t
		if k > m.nodes {
			break
		}
		if k != previous {
			all = append(all, m.even(n, k, gpus)...)
			previous = k
		}
	}
	ordered := spread(all)
	if m.fewest {
		ordered = nearFewest(all)
	}
	if m.cores > 0 {
		ordered = slices.Insert(ordered, min(1, len(ordered)), m.packed(n, (n+m.cores-1)/m.cores, gpus)...)
	}
	return ordered
}

// even returns the shape with n tasks on k nodes as equally as the placement
// rule allows, or nothing if it fits no node.
func (m shaper) even(n, k, gpus int) []shape {
	if k == 0 || k > m.nodes {
		return nil
	}
	t, rest := n/k, n%k
	if rest == 0 {
		if t > m.cores {
			return nil
		}
		return []shape{{nodes: k, gpus: gpus, need: t, request: machine.Request{Tasks: n, TasksPerNode: t}, cores: slices.Repeat([]int{t}, k)}}
	}
	if t+1 > m.cores {
		return nil
	}
	// A minimum of t+1 cores per node would always give a balanced layout, but
	// Slurm then raises the job to (t+1)*k cores. A minimum of t gives one where
	// the caps of the placement rule allow it.
	request := machine.Request{Tasks: n, MinCores: t}
	total := slices.Repeat([]int{m.cores}, k)
	if machine.Balanced(total, total, request) {
		cores := slices.Repeat([]int{t}, k)
		for j := range rest {
			cores[j]++
		}
		return []shape{{nodes: k, gpus: gpus, need: t + 1, request: request, cores: cores}}
	}
	return m.onIdle(request, k, gpus)
}

// packed returns the shape in which the placement rule fills node after node, as 8
// and 3 cores for 11 tasks on two nodes of 8. It returns nothing if even returns the
// same layout, or if the nodes' cores differ by at most 1.
func (m shaper) packed(n, k, gpus int) []shape {
	if k == 0 || k > m.nodes || n/k <= 1 {
		return nil
	}
	cores, err := machine.Place(slices.Repeat([]int{m.cores}, k), machine.Request{Tasks: n})
	if err != nil || slices.Max(cores)-slices.Min(cores) <= 1 {
		return nil
	}
	if even := m.even(n, k, gpus); len(even) > 0 && slices.Equal(even[0].cores, cores) {
		return nil
	}
	return m.onIdle(machine.Request{Tasks: n}, k, gpus)
}

// onIdle returns the shape that the placement rule gives a request on k idle nodes.
func (m shaper) onIdle(request machine.Request, k, gpus int) []shape {
	sh := shape{nodes: k, gpus: gpus, need: max(1, request.MinCores), idle: true, request: request}
	if m.homogeneous {
		cores, err := machine.Place(slices.Repeat([]int{m.cores}, k), request)
		if err != nil {
			return nil
		}
		sh.cores = cores
	}
	return []shape{sh}
}

// spread reorders shapes so that any prefix of them covers the whole range:
// the first, the last, the middle, then the middles of the halves.
func spread(all []shape) []shape {
	if len(all) <= 2 {
		return all
	}
	ordered := []shape{all[0], all[len(all)-1]}
	type span struct{ low, high int }
	for open := []span{{0, len(all) - 1}}; len(open) > 0; open = open[1:] {
		s := open[0]
		if s.high-s.low < 2 {
			continue
		}
		middle := (s.low + s.high) / 2
		ordered = append(ordered, all[middle])
		open = append(open, span{s.low, middle}, span{middle, s.high})
	}
	return ordered
}
