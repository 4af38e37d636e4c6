package packing

import (
	"math"
	"math/rand/v2"
	"slices"
)

// search is simulated annealing over feasible selections. A step forces a column in:
// the columns that leave it no room are removed, and whatever fits then is added. A
// step that lowers the value is accepted with a probability that falls over time.
type search struct {
	*selection
	random *rand.Rand
	// allowed are the columns that may be forced in, largest is the greatest value of them, and picks are the picks
	// of the schedule.
	allowed []int32
	largest float64
	picks   int
	// added and removed are the changes of the current draw, to be undone.
	added, removed []int32
}

// schedule says how a search begins and cools, and when it ends.
type schedule struct {
	// start is a feasible selection, nil for none.
	start []int
	// heat is the start temperature as a part of the largest value of a column.
	heat float64
	seed uint64
	// picks is how many more columns are drawn at random than the one that a step forces
	// in, which is the most valuable of them: few large jobs have a chance then.
	picks int
	// work is how many rows and columns the search may look at.
	work int
}

// A hot search accepts a loss of a tenth of the largest value about once in three times
// at its start. A warm one suits a start that is good already, and a cool and a cold one mend
// what is better still.
const (
	hot  = 1.0 / 10
	warm = hot / 4
	cool = hot / 10
	cold = hot / 20
)

// improveAmong runs the search on the given columns, ascending, together with those of
// its start, in a model of these columns alone, which has fewer rows.
func (m *model) improveAmong(columns []int32, s schedule, bound float64, stop func() bool) ([]int, int) {
	columns = slices.Clone(columns)
	for _, i := range s.start {
		columns = append(columns, int32(i))
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	n, _ := m.narrow(columns, nil)
	start := make([]int, len(s.start))
	for at, i := range s.start {
		start[at], _ = slices.BinarySearch(columns, int32(i))
	}
	s.start = start
	selected, done := improve(n, n.fitting(), s, bound, stop)
	for at, k := range selected {
		selected[at] = int(columns[k])
	}
	return selected, done
}

// improve searches among the allowed columns. It ends when its work is done, after
// drawsPerColumn draws for each allowed column, when the value reaches bound, or when
// stop says so. It returns the best selection seen and the work done.
func improve(m *model, allowed []int32, by schedule, bound float64, stop func() bool) ([]int, int) {
	const (
		// The value is a running sum: a smaller difference is rounding.
		margin         = 1e-10
		drawsPerColumn = 300
	)
	s := newSearch(m, allowed, by)
	best, value := s.columns(), s.value
	if len(allowed) == 0 {
		return best, s.work
	}
	hottest := s.largest * by.heat
	most := drawsPerColumn * len(allowed)
	for draws := 0; draws < most && s.work < by.work && value < bound-margin; draws++ {
		if draws%256 == 0 && stop() {
			break
		}
		temperature := hottest * min(1-float64(s.work)/float64(by.work), 1-float64(draws)/float64(most))
		loss := -temperature * math.Log(1-s.random.Float64())
		if s.draw(loss) && s.value > value+margin {
			best, value = s.columns(), s.value
		}
	}
	return best, s.work
}

func newSearch(m *model, allowed []int32, by schedule) *search {
	s := &search{
		selection: newSelection(m, by.start, allowed), random: rand.New(rand.NewPCG(by.seed, 0)), allowed: allowed, picks: by.picks,
	}
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
	// Refilling is most of the work and seldom adds more than twice the largest
	// value: a draw that would need more to be accepted is given up before.
	const refillWorth = 2
	s.added, s.removed = s.added[:0], s.removed[:0]
	s.work++
	i := s.allowed[s.random.IntN(len(s.allowed))]
	for range s.picks {
		if other := s.allowed[s.random.IntN(len(s.allowed))]; s.m.value[other] > s.m.value[i] {
			i = other
		}
	}
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
			// Reservoir sampling: all columns of the row have the same chance.
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

// undo restores the selection before the last draw.
func (s *search) undo() {
	for _, i := range s.added {
		s.remove(i)
	}
	for _, i := range s.removed {
		s.add(i)
	}
}
