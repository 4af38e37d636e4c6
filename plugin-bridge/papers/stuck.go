package papers

import (
	"cmp"
	"slices"
)

// cheapest returns which of the allocations to defer when no step places any of
// them, since each needs what is kept for the others:
//
//  1. one that could not be placed even if all others were deferred, as a job that
//     finds no block: it costs nothing, and what it would have taken is open to the
//     others from then on;
//  2. otherwise the one of least value whose deferral lets one of greater value be
//     placed;
//  3. otherwise the one of least value. The next to be deferred may then be of the
//     second kind.
//
// So no job is deferred for the sake of one of less value, unless no nodes hold
// it at all.
// Without reservations nothing is kept for anybody, and it is the turn of the first.
func (b *board) cheapest(pending []chosenCores) int {
	if !b.reserves {
		return 0
	}
	byValue := make([]int, len(pending))
	for i := range pending {
		byValue[i] = i
		others := slices.Delete(slices.Clone(pending), i, i+1)
		if !b.placeable(pending[i], others...) {
			return i
		}
	}
	slices.SortFunc(byValue, func(i, k int) int {
		return cmp.Or(cmp.Compare(pending[i].Value, pending[k].Value), cmp.Compare(pending[k].Job, pending[i].Job))
	})
	for rank, i := range byValue {
		for _, k := range byValue[rank+1:] {
			if pending[k].Value > pending[i].Value && b.placeable(pending[k], pending[i]) {
				return i
			}
		}
	}
	return byValue[0]
}

// placeable reports whether a step would place an allocation if others were deferred.
func (b *board) placeable(a chosenCores, others ...chosenCores) bool {
	for _, other := range others {
		b.reserve(other, -1)
	}
	i, _ := b.first([]chosenCores{a})
	for _, other := range others {
		b.reserve(other, 1)
	}
	return i >= 0
}
