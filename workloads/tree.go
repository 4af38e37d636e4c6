package workloads

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Tree is a tree of switches. It is a regular one, of which Nodes neighbouring nodes share a leaf switch, Fanout neighbouring switches one of the
// next level, and so on up to a single switch above all; or it is a List. The zero value is a flat network.
type Tree struct {
	// Nodes is the number of nodes of a leaf switch; the last may have fewer.
	Nodes int `json:"nodes,omitempty" about:"nodes below each switch of the lowest level" range:"1..{MaxNodes}"`
	// Fanout is the number of switches below each higher one; 0 puts all leaf
	// switches below one.
	Fanout int `json:"fanout,omitempty" about:"switches below each higher one, 2 or more; one above all without it" range:"2..{MaxNodes}"`
	// List are the lines of topology.conf(5).
	List []layout.Switch `json:"list,omitempty" about:"list of [switches](#an-entry-of-switcheslist), in the place of 'nodes', where they have unequal numbers of nodes or switches" range:"1..{MaxNodes}"`
}

// Flat says that there are no switches.
func (t Tree) Flat() bool { return t.Nodes == 0 && len(t.List) == 0 }

// WithNodes has count more nodes, with the numbers from first on. Of a List they are below the leaf switch of the node with the number like;
// otherwise they are the next neighbours.
func (t Tree) WithNodes(like, first, count int) Tree {
	t.List = slices.Clone(t.List)
	for i, s := range t.List {
		// A machine has no faulty list.
		numbers, _ := values.HostNumbers(s.Nodes, layout.NodePrefix)
		if !slices.Contains(numbers, like) {
			continue
		}
		for n := range count {
			numbers = append(numbers, first+n)
		}
		names := make([]string, len(numbers))
		for at, n := range numbers {
			names[at] = fmt.Sprintf("%s%d", layout.NodePrefix, n)
		}
		t.List[i].Nodes = values.CompressHosts(names)
	}
	return t
}

func (t Tree) isZero() bool { return t.Flat() && t.Fanout == 0 }

// Levels returns the number of nodes below a switch of each level of a machine
// with that many nodes, the leaf switches first. The only switch of the last
// level has all of them. A flat network has no levels, and neither has a List.
func (t Tree) Levels(nodes int) []int {
	if t.Nodes == 0 {
		return nil
	}
	var levels []int
	for size := t.Nodes; size < nodes; size *= t.Fanout {
		levels = append(levels, size)
		if t.Fanout == 0 {
			break
		}
	}
	return append(levels, nodes)
}

// Leaves are the leaf switches of a machine.
type Leaves struct {
	// of is the leaf switch of each node; sizes are the numbers of nodes of the leaf switches, falling.
	of, sizes []int
}

// Leaves returns the leaf switches of a machine with that many nodes. The tree must not be flat.
func (t Tree) Leaves(nodes int) Leaves {
	l := Leaves{of: make([]int, nodes)}
	if len(t.List) == 0 {
		for i := range l.of {
			l.of[i] = i / t.Nodes
		}
	}
	for leaf, below := range layout.Leaves(t.List) {
		for _, i := range below {
			l.of[i] = leaf
		}
	}
	for _, leaf := range l.of {
		for len(l.sizes) <= leaf {
			l.sizes = append(l.sizes, 0)
		}
		l.sizes[leaf]++
	}
	slices.SortFunc(l.sizes, func(a, b int) int { return b - a })
	return l
}

// Switches returns how many leaf switches the nodes, given by their indices, are connected to. fewest is how many the
// largest ones are that have as many nodes. Nodes 1 and 5 use two switches of four nodes, and two nodes could
// do with one.
func (l Leaves) Switches(nodes []int) (used, fewest int) {
	leaves := make([]int, len(nodes))
	for i, n := range nodes {
		leaves[i] = l.of[n]
	}
	slices.Sort(leaves)
	return len(slices.Compact(leaves)), l.fewest(len(nodes))
}

// fewest is how many of the largest leaf switches have so many nodes.
func (l Leaves) fewest(nodes int) (leaves int) {
	for ; nodes > 0 && leaves < len(l.sizes); leaves++ {
		nodes -= l.sizes[leaves]
	}
	return leaves
}

// networkMisfits says why the job can never have its nodes in the network of the machine.
func (j Job) networkMisfits(m Machine) []faults.Fault {
	return append(j.blockMisfits(m), j.switchMisfits(m)...)
}

// HasSwitches says whether the job asks for few leaf switches, and the machine has as many nodes below them.
func (j Job) HasSwitches(m Machine) bool { return j.Switches > 0 && len(j.switchMisfits(m)) == 0 }

// switchMisfits says why the job cannot have its nodes below as few leaf switches. Slurm would start it on more of them after max_switch_wait
// (slurm.conf(5)), and an agent never.
func (j Job) switchMisfits(m Machine) []faults.Fault {
	switch {
	case j.Switches == 0:
		return nil
	case m.Switches.Flat():
		return []faults.Fault{faults.At("switches", faults.Got(j.Switches), "0: machine "+m.Name+" has no switches, without which Slurm ignores it")}
	case j.Nodes <= 1:
		return nil
	}
	if fewest := m.Switches.Leaves(m.Nodes).fewest(j.Nodes); fewest > j.Switches {
		return []faults.Fault{faults.At("switches", faults.Got(j.Switches), fmt.Sprintf("0, or %d and more: %d nodes of machine %s are below at least as many leaf switches", fewest, j.Nodes, m.Name))}
	}
	return nil
}

func (t Tree) faults(nodes int) []faults.Fault {
	if len(t.List) > 0 {
		var out []faults.Fault
		if t.Nodes != 0 || t.Fanout != 0 {
			out = append(out, faults.At("switches.list", fmt.Sprintf("got it beside nodes %d, fanout %d", t.Nodes, t.Fanout), "in the place of them"))
		}
		for _, f := range layout.SwitchFaults(t.List, nodes) {
			f.Field = "switches.list" + f.Field
			out = append(out, f)
		}
		return out
	}
	out := faults.Outside("switches.nodes", t.Nodes, 1, maxNodes)
	if t.Fanout != 0 {
		out = append(out, faults.Outside("switches.fanout", t.Fanout, 2, maxNodes)...)
	}
	return out
}
