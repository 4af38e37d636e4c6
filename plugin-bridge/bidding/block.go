package bidding

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// blocks returns the longest contiguous blocks of ascending nodes.
func blocks(nodes []int) []machine.Nodeset {
	var sets []machine.Nodeset
	for i, n := range nodes {
		if i == 0 || n != nodes[i-1]+1 {
			sets = append(sets, machine.Nodeset{First: n})
		}
		sets[len(sets)-1].Last = n
	}
	return sets
}

// fit returns length nodes of the given blocks, ascending: the beginning of the
// shortest block that is long enough, or, if none is, nodes of as few blocks as
// possible. It returns nil if there are too few nodes, or no block that is long
// enough for a contiguous job. It reorders sets.
func fit(sets []machine.Nodeset, length int, contiguous bool) []int {
	var block *machine.Nodeset
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
	slices.SortStableFunc(sets, func(a, b machine.Nodeset) int { return b.Len() - a.Len() })
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

// indices returns n indices from first on.
func indices(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}
