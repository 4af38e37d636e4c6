package bidding

import "slices"

// underKey holds what the spots below switches depend on.
type underKey struct {
	nodesetsKey
	length     int
	contiguous bool
}

// under returns the spots of a shape below the lowest switches that have room
// for it, the fullest switch first. In a flat network there are none.
func (f *finder) under(j int, sh shape) []spot {
	if len(f.tree) == 0 {
		return nil
	}
	contiguous := f.jobs[j].Contiguous
	key := underKey{f.keyOf(j, sh), sh.nodes, contiguous}
	spots, known := f.underSwitches[key]
	if !known {
		for _, nodes := range f.tree.below(f.nodesetsFor(j, sh).nodes, sh.nodes, contiguous) {
			spots = append(spots, f.locate(j, sh, nodes))
		}
		f.underSwitches[key] = spots
	}
	return spots
}

// without returns the spots that are none of others.
func without(spots, others []spot) []spot {
	return slices.DeleteFunc(spots, func(s spot) bool { return hasNodes(others, s) })
}

// hasNodes reports whether one of the spots has the nodes of s.
func hasNodes(spots []spot, s spot) bool {
	return slices.ContainsFunc(spots, func(o spot) bool { return slices.Equal(o.nodes, s.nodes) })
}
