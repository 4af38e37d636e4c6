package packing

import (
	"math"
	"math/rand/v2"
	"slices"
)

// search is an annealing search that forces columns in: what stands in the way
// leaves, and what fits again is refilled. Losses are accepted with falling
// probability.
type search struct {
	*selection
	random *rand.Rand
	// allowed are the columns that may be forced in.
	allowed []int32
	// added and removed are the changes of the current draw, to be undone.
	added, removed []int32
}

// improve runs the local search on some columns and those of the best selection
// known, in a program of these alone: it has fewer rows, and the same work goes
// further. Selections are of the original problem.
func (q program) improve(best []int, columns []int32, l Limits, work int) ([]int, int) {
	for _, i := range q.here(best) {
		columns = append(columns, int32(i))
	}
	slices.Sort(columns)
	q = q.restrict(slices.Compact(columns)).reduce()
	m := q.model()
	selected, done := improve(m, q.here(best), m.fitting(), math.Inf(1), l.Seed, work, l.Stop)
	return q.there(selected), done
}

// improve searches from a feasible start among allowed columns, until work
// terms have been touched, there were so many draws that more would only repeat
// them, bound is reached, or stop says so. It returns the best selection seen.
func improve(m *model, start []int, allowed []int32, bound float64, seed uint64, work int, stop func() bool) ([]int, int) {
	const (
		// The value is a running sum; what rounding adds to it is no
		// improvement.
		margin         = 1e-10
		drawsPerColumn = 300
	)
	s := newSearch(m, start, allowed, seed)
	best, value := s.columns(), s.value
	if len(allowed) == 0 {
		return best, s.work
	}
	// The start temperature lets a loss of a tenth of the largest value pass
	// about once in three times.
	hottest := 0.0
	for _, i := range allowed {
		hottest = max(hottest, m.value[i]/10)
	}
	most := drawsPerColumn * len(allowed)
	for draws := 0; draws < most && s.work < work && value < bound-margin; draws++ {
		if draws%256 == 0 && stop() {
			break
		}
		before := s.value
		s.draw()
		temperature := hottest * min(1-float64(s.work)/float64(work), 1-float64(draws)/float64(most))
		if loss := before - s.value; loss > 0 && (temperature <= 0 || s.random.Float64() >= math.Exp(-loss/temperature)) {
			s.undo()
		} else if s.value > value+margin {
			best, value = s.columns(), s.value
		}
	}
	return best, s.work
}

func newSearch(m *model, start []int, allowed []int32, seed uint64) *search {
	return &search{selection: newSelection(m, start, allowed), random: rand.New(rand.NewPCG(seed, 0)), allowed: allowed}
}

// draw forces a random column in.
func (s *search) draw() {
	s.added, s.removed = s.added[:0], s.removed[:0]
	s.work++
	i := s.allowed[s.random.IntN(len(s.allowed))]
	if s.selected[i] {
		return
	}
	s.evictFor(i)
	s.add(i)
	s.added = append(s.added, i)
	s.added = append(s.added, s.refill()...)
}

// evictFor removes selected columns from each short row until column i fits:
// the least valuable ones or, in every second draw, random ones, because the
// least valuable may be just what the best selection keeps. A column that does
// not fit alone is not allowed.
func (s *search) evictFor(i int32) {
	anyone := s.random.IntN(2) == 0
	s.evict(s.groupRow(i), 1, anyone)
	rows, amounts := s.m.byColumn.of(i)
	for t, r := range rows {
		s.evict(r, amounts[t], anyone)
	}
	s.work += len(rows)
}

// evict removes columns of row r until it has room for amount.
func (s *search) evict(r, amount int32, anyone bool) {
	for s.slack[r] < amount {
		inside := s.inside[r]
		victim := inside[0]
		if anyone {
			victim = inside[s.random.IntN(len(inside))]
		} else {
			for _, c := range inside {
				if s.m.value[c] < s.m.value[victim] || s.m.value[c] == s.m.value[victim] && c < victim {
					victim = c
				}
			}
		}
		s.remove(victim)
		s.removed = append(s.removed, victim)
	}
}

// undo takes the last draw back.
func (s *search) undo() {
	for _, i := range s.added {
		s.remove(i)
	}
	for _, i := range s.removed {
		s.add(i)
	}
	s.refill()
}
