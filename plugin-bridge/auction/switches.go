package auction

import "slices"

// underKey is what the spots below switches depend on.
type underKey struct {
	placesKey
	length     int
	contiguous bool
}

// under returns the spots of a shape below the lowest switches that have room
// for it, the fullest switch first. In a flat network there are none.
func (g *generator) under(j int, sh shape) []spot {
	if len(g.tree) == 0 {
		return nil
	}
	contiguous := g.snapshot.Jobs[j].Contiguous
	key := underKey{g.keyOf(j, sh), sh.nodes, contiguous}
	spots, known := g.underSwitches[key]
	if !known {
		for _, nodes := range g.tree.below(g.placesFor(j, sh).nodes, sh.nodes, contiguous) {
			spots = append(spots, g.locate(j, sh, nodes))
		}
		g.underSwitches[key] = spots
	}
	return spots
}

// underStreams are the candidates of a job below switches, by shape, and the
// number of all there are. As with nodesets each job begins its turn at another
// switch.
func (g *generator) underStreams(j int, shapes []shape, limit int) (streams []stream, total int) {
	for _, sh := range shapes {
		spots := g.under(j, sh)
		if len(spots) == 0 {
			continue
		}
		turn := j % len(spots)
		total += len(spots)
		inTurn := slices.Concat(spots[turn:], spots[:turn])
		streams = append(streams, stream{sh, inTurn[:min(limit, len(inTurn))]})
	}
	return streams, total
}

// without returns the spots that are none of others.
func without(spots, others []spot) []spot {
	return slices.DeleteFunc(spots, func(s spot) bool { return hasNodes(others, s) })
}

// hasNodes reports whether one of the spots has the nodes of s.
func hasNodes(spots []spot, s spot) bool {
	return slices.ContainsFunc(spots, func(o spot) bool { return slices.Equal(o.nodes, s.nodes) })
}
