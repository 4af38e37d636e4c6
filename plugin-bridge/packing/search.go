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
	// allowed are the columns that may be forced in, largest is the greatest
	// value of them.
	allowed []int32
	largest float64
	// added and removed are the changes of the current draw, to be undone.
	added, removed []int32
}

// improveAmong runs the local search on some columns, ascending, and those of
// the best selection known, in a model of these alone, which has fewer rows.
func (m *model) improveAmong(columns []int32, best []int, bound float64, l Limits, work int) ([]int, int) {
	columns = slices.Clone(columns)
	for _, i := range best {
		columns = append(columns, int32(i))
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	n := m.narrow(columns)
	start := make([]int, len(best))
	for at, i := range best {
		start[at], _ = slices.BinarySearch(columns, int32(i))
	}
	selected, done := improve(n, start, n.fitting(), bound, l.Seed, work, l.Stop)
	for at, k := range selected {
		selected[at] = int(columns[k])
	}
	return selected, done
}

// improve searches from a feasible start among allowed columns, until work
// rows and columns have been looked at, there were so many draws that more would
// only repeat them, bound is reached, or stop says so. It returns the best
// selection seen.
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
	hottest := s.largest / 10
	most := drawsPerColumn * len(allowed)
	for draws := 0; draws < most && s.work < work && value < bound-margin; draws++ {
		if draws%256 == 0 && stop() {
			break
		}
		temperature := hottest * min(1-float64(s.work)/float64(work), 1-float64(draws)/float64(most))
		loss := -temperature * math.Log(1-s.random.Float64())
		if s.draw(loss) && s.value > value+margin {
			best, value = s.columns(), s.value
		}
	}
	return best, s.work
}

func newSearch(m *model, start []int, allowed []int32, seed uint64) *search {
	s := &search{selection: newSelection(m, start, allowed), random: rand.New(rand.NewPCG(seed, 0)), allowed: allowed}
	for _, i := range allowed {
		s.largest = max(s.largest, m.value[i])
	}
	return s
}

// draw forces a random column in, unless that would lose more than loss, and
// reports whether the selection has changed. What leaves for it are the least
// valuable columns in its way or, in every second draw, random ones, because the
// least valuable may be just what the best selection keeps.
func (s *search) draw(loss float64) bool {
	// A refill is seldom worth more than two of the largest columns, and most of
	// the work; a draw that needs more than that is not carried on.
	const refillWorth = 2
	s.added, s.removed = s.added[:0], s.removed[:0]
	s.work++
	i := s.allowed[s.random.IntN(len(s.allowed))]
	if s.selected(i) {
		return false
	}
	least := s.value - loss
	hopeless := least - refillWorth*s.largest - s.m.value[i]
	if c := s.winner[s.m.group[i]]; c != nowhere {
		s.evict(c)
	}
	anyone := s.random.IntN(2) == 0
	for _, run := range s.m.stretches.vector(i) {
		for k, slack := range s.slack[run.first:run.end] {
			if slack >= run.amount {
				continue
			}
			for r := run.first + int32(k); s.slack[r] < run.amount; {
				s.evict(s.victim(r, anyone))
			}
			if s.value < hopeless {
				s.undo()
				return false
			}
		}
	}
	s.add(i)
	s.added = s.refill(append(s.added, i))
	if s.value < least {
		s.undo()
		return false
	}
	return true
}

func (s *search) evict(i int32) {
	s.remove(i)
	s.removed = append(s.removed, i)
}

// victim is a selected column of row r.
func (s *search) victim(r int32, anyone bool) int32 {
	victim, seen := int32(nowhere), 0
	for _, c := range s.chosen {
		if s.m.stretches.at(c, r) == 0 {
			continue
		}
		seen++
		switch {
		case victim == nowhere:
			victim = c
		case anyone:
			// Each is kept with the probability that all had the same chance.
			if s.random.IntN(seen) == 0 {
				victim = c
			}
		case s.m.value[c] < s.m.value[victim] || s.m.value[c] == s.m.value[victim] && c < victim:
			victim = c
		}
	}
	s.work += len(s.chosen)
	return victim
}

// undo takes the last draw back.
func (s *search) undo() {
	for _, i := range s.added {
		s.remove(i)
	}
	for _, i := range s.removed {
		s.add(i)
	}
}
