package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// tree is the switches above the nodes of a snapshot, level by level from the
// leaf switches upwards. In a flat network there are no levels.
type tree []level

// level is the switches of one level.
type level struct {
	// of is the switch above each node.
	of []int
	// sizes are the nodes below each switch, falling.
	sizes []int
	// seen is scratch space of spanned: the turn in which a switch was counted.
	seen []int
	turn int
}

func newTree(nodes []nodeset.Node) tree {
	if len(nodes) == 0 {
		return nil
	}
	t := make(tree, len(nodes[0].Switches))
	for l := range t {
		count := 0
		for i := range nodes {
			count = max(count, nodes[i].Switches[l]+1)
		}
		t[l] = level{of: make([]int, len(nodes)), sizes: make([]int, count), seen: make([]int, count)}
		for i := range nodes {
			s := nodes[i].Switches[l]
			t[l].of[i] = s
			t[l].sizes[s]++
		}
		slices.SortFunc(t[l].sizes, func(a, b int) int { return b - a })
	}
	return t
}

// spanned is the number of switches that the nodes are below.
func (l *level) spanned(nodes []int) int {
	l.turn++
	n := 0
	for _, i := range nodes {
		if s := l.of[i]; l.seen[s] != l.turn {
			l.seen[s] = l.turn
			n++
		}
	}
	return n
}

// fewest is the least number of switches that have so many nodes.
func (l *level) fewest(nodes int) int {
	for i, size := range l.sizes {
		if nodes -= size; nodes <= 0 {
			return i + 1
		}
	}
	return len(l.sizes)
}

// most is how many of the nodes, given ascending, are at most below so many
// switches, of contiguous ones in one block.
func (l *level) most(nodes []int, switches int, contiguous bool) int {
	if !contiguous {
		groups, most := l.split(nodes), 0
		slices.SortFunc(groups, func(a, b []int) int { return len(b) - len(a) })
		for _, g := range groups[:min(switches, len(groups))] {
			most += len(g)
		}
		return most
	}
	most := 0
	for _, b := range blocks(nodes) {
		for first, last := b.First, b.First; last <= b.Last; last++ {
			for l.spanned(indices(first, last-first+1)) > switches {
				first++
			}
			most = max(most, last-first+1)
		}
	}
	return most
}

// split groups nodes by their switches, in the order of the nodes.
func (l *level) split(nodes []int) [][]int {
	var groups [][]int
	at := make(map[int]int)
	for _, n := range nodes {
		g, known := at[l.of[n]]
		if !known {
			g = len(groups)
			at[l.of[n]] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], n)
	}
	return groups
}

// nearness is 1 for nodes below as few switches as possible, and falls towards 0
// the more they are spread. On each level it counts
//
//	fewest switches that as many nodes need / switches that the nodes are below
//
// and takes the product over all levels. In a flat network it is 1.
func (t tree) nearness(nodes []int) float64 {
	near := 1.0
	for l := range t {
		near *= float64(t[l].fewest(len(nodes))) / float64(t[l].spanned(nodes))
	}
	return near
}

// prefer is the preference of a bid in the tree: one below fewer switches comes
// before one in fewer nodesets, which is what fragmentation, the F of equation
// (12), tells. In a flat network it is fragmentation, and always in (0,1].
func (t tree) prefer(nodes []int, fragmentation float64) float64 {
	if len(t) == 0 {
		return fragmentation
	}
	return t.nearness(nodes) * (1 + fragmentation) / 2
}

// allows reports whether the nodes are below as few leaf switches as the job
// wants (--switches). Slurm, too, ignores the wish in a flat network.
func (t tree) allows(o JobOptions, nodes []int) bool {
	return o.Switches == 0 || len(t) == 0 || t[0].spanned(nodes) <= o.Switches
}

// below returns a place for length nodes below each of the lowest switches that
// have room for them among the given nodes, the fullest switch first: "best fit"
// as in topology/tree of Slurm (src/plugins/topology/tree/eval_nodes_tree.c).
func (t tree) below(nodes []int, length int, contiguous bool) [][]int {
	for l := range t {
		groups := slices.DeleteFunc(t[l].split(nodes), func(g []int) bool { return len(g) < length })
		slices.SortStableFunc(groups, func(a, b []int) int { return len(a) - len(b) })
		var found [][]int
		for _, g := range groups {
			if chosen := t[:l].choose(g, length, contiguous); chosen != nil {
				found = append(found, chosen)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// choose returns length of the nodes, ascending, below as few switches as
// possible: while no switch has room for the rest, all nodes of the one with the
// most, then the rest from the switch with the fewest that suffice. Below one
// leaf switch, and for contiguous jobs, blocks take the place of switches. It
// returns nil if there is no such block.
func (t tree) choose(nodes []int, length int, contiguous bool) []int {
	if len(t) == 0 || contiguous {
		return fit(blocks(nodes), length, contiguous)
	}
	top := len(t) - 1
	groups := t[top].split(nodes)
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	var chosen []int
	for rest := length; rest > 0; rest = length - len(chosen) {
		if len(groups[0]) < rest {
			chosen = append(chosen, groups[0]...)
			groups = groups[1:]
			continue
		}
		last := len(groups) - 1
		for len(groups[last]) < rest {
			last--
		}
		chosen = append(chosen, t[:top].choose(groups[last], rest, false)...)
	}
	slices.Sort(chosen)
	return chosen
}

// blocks returns the longest contiguous blocks of ascending nodes.
func blocks(nodes []int) []nodeset.Set {
	var sets []nodeset.Set
	for i, n := range nodes {
		if i == 0 || n != nodes[i-1]+1 {
			sets = append(sets, nodeset.Set{First: n})
		}
		sets[len(sets)-1].Last = n
	}
	return sets
}

// fit returns length nodes of the blocks, ascending: the beginning of the
// shortest block that is long enough, else as few blocks as possible, or nil for
// a contiguous job. It returns nil if there are not enough nodes. It reorders
// sets.
func fit(sets []nodeset.Set, length int, contiguous bool) []int {
	var block *nodeset.Set
	for i, b := range sets {
		if b.Len() >= length && (block == nil || b.Len() < block.Len()) {
			block = &sets[i]
		}
	}
	if block != nil {
		return indices(block.First, length)
	}
	if contiguous {
		return nil
	}
	slices.SortStableFunc(sets, func(a, b nodeset.Set) int { return b.Len() - a.Len() })
	var nodes []int
	for _, b := range sets {
		nodes = append(nodes, indices(b.First, min(b.Len(), length-len(nodes)))...)
		if len(nodes) == length {
			slices.Sort(nodes)
			return nodes
		}
	}
	return nil
}
