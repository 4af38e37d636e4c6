package packing

import "math/rand/v2"

// hunt looks for good selections of a large program in two ways, by beams and by annealing,
// among the columns of good reduced value.
type hunt struct {
	m    *model
	d    *dual
	stop func() bool
	// near are the columns that the annealing may take.
	near []int32
	// columns of the beam.
	columns []int32
	beam    *beam
	width   int
	random  *rand.Rand
	// turns, sweeps and anneals count what was done.
	turns, sweeps, anneals int
	// markup of the best beam so far, whose selection is worth top.
	markup, top float64
	// swept and annealed are the values of the best selections that either way has found.
	swept, annealed float64
}

const (
	// nearShares says how far below the best of its group the reduced value of a column
	// may be for the annealing, in parts of the gap for each group.
	nearShares = 3
	// The columns of a beam are beamColumns at most, and below the best of their group by
	// at most the part beamNear of what a selection is worth.
	beamColumns = 4000
	beamNear    = 1.0 / 100
	// A beam has as many states as make beamWork with its columns, which takes 10 to 20 ms.
	// With fewer than leastWidth it misses large jobs whose bids begin late.
	beamWork   = 400_000
	leastWidth = 20
	mostWidth  = 400
	// mendWork is the work of the annealing after a beam, 2 ms, and annealWork the work of an annealing by itself, 10
	// ms.
	mendWork   = 1_000_000
	annealWork = 5_000_000
)

// newHunt returns a hunt among the allowed columns that knows a dual and the value of a
// selection.
func newHunt(m *model, allowed []int32, d *dual, value float64, seed uint64, stop func() bool) *hunt {
	h := &hunt{m: m, d: d, stop: stop, random: rand.New(rand.NewPCG(seed, 0)), markup: 1}
	h.near = intersect(allowed, d.near(m, nearShares*(d.bound-value)/float64(1+len(m.members))))
	h.columns = d.nearest(m, intersect(allowed, d.near(m, beamNear*value)), beamColumns)
	h.beam = newBeam(m.narrow(h.columns, d.lambda))
	h.width = min(max(beamWork/max(1, len(h.columns)), leastWidth), mostWidth)
	return h
}

// next returns a selection that may be better than the best one so far, and the work done. After one turn of each
// way, two of three turns go to the way that has found the better selection up to then. These are beams where many
// jobs win, annealing where a few large ones do.
func (h *hunt) next(best []int) ([]int, int) {
	sweep := h.swept >= h.annealed
	switch {
	case h.turns < 2:
		sweep = h.turns == 1
	case h.turns%3 == 0:
		sweep = !sweep
	}
	h.turns++
	if sweep {
		return h.sweep()
	}
	heats := []float64{hot, cool, warm}
	selected, work := h.anneal(best, heats[h.anneals%len(heats)], annealWork)
	h.anneals++
	h.annealed = max(h.annealed, h.value(selected))
	return selected, work
}

// sweep runs a beam and mends what it found. The first beams have different markups, the others about the markup of
// the best one.
func (h *hunt) sweep() ([]int, int) {
	const spread, noise = 0.1, 0.02
	markups := []float64{1.1, 1, 1.2, 1.35}
	by := course{width: h.width, markup: h.markup + spread*(2*h.random.Float64()-1), noise: noise, seed: h.random.Uint64()}
	if h.sweeps < len(markups) {
		by.markup = markups[h.sweeps]
	}
	h.sweeps++
	found, work := h.beam.search(by, h.stop)
	selected := make([]int, len(found))
	for at, k := range found {
		selected[at] = int(h.columns[k])
	}
	if value := h.value(selected); value > h.top {
		h.markup, h.top = by.markup, value
	}
	mended, more := h.anneal(selected, cold, mendWork)
	h.swept = max(h.swept, h.value(mended))
	return mended, work + more
}

// anneal searches from a selection.
func (h *hunt) anneal(start []int, heat float64, work int) ([]int, int) {
	by := schedule{start: start, heat: heat, seed: h.random.Uint64(), picks: 3, work: work}
	return h.m.improveAmong(h.near, by, h.d.bound, h.stop)
}

func (h *hunt) value(selected []int) float64 {
	sum := 0.0
	for _, i := range selected {
		sum += h.m.value[i]
	}
	return sum
}
