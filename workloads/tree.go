package workloads

import "slices"

// Tree is a regular tree of switches: Nodes neighbouring nodes share a leaf
// switch, Fanout neighbouring switches one of the next level, and so on up to a
// single switch above all. The zero value is a flat network.
type Tree struct {
	// Nodes is the number of nodes of a leaf switch; the last may have fewer.
	Nodes int `json:"nodes" about:"nodes below each switch of the lowest level" need:"yes" range:"1..{MaxNodes}"`
	// Fanout is the number of switches below each higher one; 0 puts all leaf
	// switches below one.
	Fanout int `json:"fanout,omitempty" about:"switches below each higher one, 2 or more; one above all without it" range:"2..{MaxNodes}"`
}

// Flat says that there are no switches.
func (t Tree) Flat() bool { return t.Nodes == 0 }

// Levels returns the number of nodes below a switch of each level of a machine
// with that many nodes, the leaf switches first. The only switch of the last
// level has all of them. A flat network has no levels.
func (t Tree) Levels(nodes int) []int {
	if t.Flat() {
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

// Switches returns how many leaf switches the nodes, given by their indices, are connected to. fewest is how many so
// many neighbouring nodes would need at the least. Nodes 1 and 5 use two switches of four nodes, and two nodes could
// do with one.
func (t Tree) Switches(nodes []int) (used, fewest int) {
	leaves := make([]int, len(nodes))
	for i, n := range nodes {
		leaves[i] = n / t.Nodes
	}
	slices.Sort(leaves)
	return len(slices.Compact(leaves)), (len(nodes) + t.Nodes - 1) / t.Nodes
}

func (t Tree) faults() []fault {
	var out []fault
	out = append(out, outside("switches.nodes", t.Nodes, 1, maxNodes)...)
	if t.Fanout != 0 {
		out = append(out, outside("switches.fanout", t.Fanout, 2, maxNodes)...)
	}
	return out
}
