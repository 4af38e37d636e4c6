package packing

import (
	"cmp"
	"slices"
)

// selection is a feasible set of columns that grows and shrinks. After refill it is
// maximal: no allowed column outside fits. A group counts as a row here, after the rows
// of the model, with slack 1.
type selection struct {
	m     *model
	slack []int32
	// chosen are the selected columns, position is where each is in it, or nowhere.
	chosen, position []int32
	// winner is the selected column of each group, or nowhere.
	winner []int32
	value  float64
	// outside are the allowed columns by falling value.
	outside []waiting
	// work counts the rows and columns looked at.
	work int
}

// waiting is a column outside, with a row that had too little slack for it when refill
// last looked, and the amount that it takes there. As long as the amount is more than
// the slack, refill need not look at the other rows of the column.
type waiting struct{ column, row, amount int32 }

const nowhere = -1

// newSelection returns a feasible start, refilled with allowed columns by falling value.
func newSelection(m *model, start []int, allowed []int32) *selection {
	rows := m.rows() + len(m.members)
	s := &selection{
		m: m, slack: make([]int32, rows), position: slices.Repeat([]int32{nowhere}, m.columns()),
		winner: slices.Repeat([]int32{nowhere}, len(m.members)),
	}
	for g := copy(s.slack, m.bound); g < rows; g++ {
		s.slack[g] = 1
	}
	for _, i := range allowed {
		s.outside = append(s.outside, waiting{i, s.groupRow(i), 1})
	}
	slices.SortFunc(s.outside, func(a, b waiting) int {
		return cmp.Or(cmp.Compare(m.value[b.column], m.value[a.column]), cmp.Compare(a.column, b.column))
	})
	for _, i := range start {
		s.add(int32(i))
	}
	s.refill(nil)
	return s
}

func (s *selection) groupRow(i int32) int32 { return int32(s.m.rows()) + s.m.group[i] }

func (s *selection) selected(i int32) bool { return s.position[i] != nowhere }

func (s *selection) add(i int32) {
	s.m.take(i, s.slack, 1)
	s.slack[s.groupRow(i)], s.winner[s.m.group[i]] = 0, i
	s.position[i] = int32(len(s.chosen))
	s.chosen = append(s.chosen, i)
	s.value += s.m.value[i]
	s.work += s.m.stretches.length(i)
}

func (s *selection) remove(i int32) {
	s.m.take(i, s.slack, -1)
	s.slack[s.groupRow(i)], s.winner[s.m.group[i]] = 1, nowhere
	last := s.chosen[len(s.chosen)-1]
	s.chosen[s.position[i]], s.position[last] = last, s.position[i]
	s.chosen, s.position[i] = s.chosen[:len(s.chosen)-1], nowhere
	s.value -= s.m.value[i]
	s.work += s.m.stretches.length(i)
}

// refill adds every allowed column that fits, those of highest value first, and
// appends them to added.
func (s *selection) refill(added []int32) []int32 {
	s.work += len(s.outside)
	for k := range s.outside {
		w := &s.outside[k]
		if s.slack[w.row] < w.amount {
			continue
		}
		if g := s.groupRow(w.column); s.slack[g] == 0 {
			w.row, w.amount = g, 1
			continue
		}
		if r := s.m.blocker(w.column, s.slack); r != nowhere {
			w.row, w.amount = r, s.m.stretches.at(w.column, r)
			s.work += s.m.stretches.length(w.column) / 2
			continue
		}
		s.add(w.column)
		added = append(added, w.column)
	}
	return added
}

// columns returns the selection, ascending.
func (s *selection) columns() []int {
	selected := make([]int, len(s.chosen))
	for at, i := range s.chosen {
		selected[at] = int(i)
	}
	slices.Sort(selected)
	return selected
}
