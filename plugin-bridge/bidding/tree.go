package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// tree is the switches above the nodes of a machine, level by level from the
// leaf switches upwards. In a flat network there are no levels.
type tree []level

// level is the switches of one level.
type level struct {
	// of is the switch above each node.
	of []int
	// sizes are the nodes below each switch, falling.
	sizes []int
	// seen is scratch space of the method spanned: the call, by its number turn, that
	// counted a switch last.
	seen []int
	turn int
}

func newTree(nodes []machine.Node) tree {
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

// most is the largest number of the given nodes, ascending, that lie below so many
// switches; if they have to be contiguous, in one block.
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
// the more switches they are spread over. It is the product, over all levels, of
//
//	fewest switches that as many nodes need / switches that the nodes are below
//
// For example, 4 nodes below 2 leaf switches of 4 nodes each and below one switch of
// the level above have 1/2 * 1/1. In a flat network nearness is 1.
func (t tree) nearness(nodes []int) float64 {
	near := 1.0
	for l := range t {
		near *= float64(t[l].fewest(len(nodes))) / float64(t[l].spanned(nodes))
	}
	return near
}

// prefer is the preference of a bid in the tree. fragmentation is F of AUCSCHED
// equation (12), which falls with the number of nodesets; among bids that are equally
// near it decides. In a flat network prefer is fragmentation; it lies in (0,1].
func (t tree) prefer(nodes []int, fragmentation float64) float64 {
	if len(t) == 0 {
		return fragmentation
	}
	return t.nearness(nodes) * (1 + fragmentation) / 2
}

// allows reports whether the nodes are below as few leaf switches as the job
// wants (--switches). In a flat network the option is ignored, as by Slurm.
func (t tree) allows(o JobOptions, nodes []int) bool {
	return o.Switches == 0 || len(t) == 0 || t[0].spanned(nodes) <= o.Switches
}

// below returns length nodes below each of the lowest switches that have room for them among the given nodes, the
// fullest switch first. That is "best fit" as in topology/tree of Slurm
// (src/plugins/topology/tree/eval_nodes_tree.c).
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

// choose returns length of the nodes, ascending, below few switches. While no switch has enough of the nodes for the
// rest, it takes all nodes of the switch with the most of them. Then it takes the rest from the switch with the
// fewest that suffice. Below a single leaf switch, and for contiguous jobs, it takes blocks of nodes instead, see
// [fit], and returns nil if a contiguous job finds no block.
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
