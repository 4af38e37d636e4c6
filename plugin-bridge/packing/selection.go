package packing

import (
	"cmp"
	"slices"
)

// selection is a feasible set of columns that grows and shrinks. After refill
// it is maximal: every allowed column outside is kept out by one of its rows,
// and is listed with that row, its watch. Hence a change looks only at the
// columns whose watch has got room. A group counts as a row here, after the
// rows of the model, with slack 1.
type selection struct {
	m     *model
	slack []int32
	// inside lists the selected columns of each row.
	inside   [][]int32
	selected []bool
	value    float64
	// watch is the row that keeps a column out, place its index in watchers.
	watch, place []int32
	watchers     [][]watcher
	// loose are columns outside without a watch, freed are rows with new room.
	loose, freed []int32
	// rank orders columns by falling value.
	rank []int32
	// work counts the terms touched.
	work  int
	fresh []int32
}

type watcher struct{ column, amount int32 }

const nowhere = -1

// newSelection returns the greedy completion of a feasible start with allowed
// columns.
func newSelection(m *model, start []int, allowed []int32) *selection {
	rows := m.rows() + len(m.members)
	s := &selection{
		m: m, slack: make([]int32, rows), inside: make([][]int32, rows), selected: make([]bool, m.columns()),
		watch: make([]int32, m.columns()), place: make([]int32, m.columns()), watchers: make([][]watcher, rows),
		rank: make([]int32, m.columns()),
	}
	for g := copy(s.slack, m.bound); g < rows; g++ {
		s.slack[g] = 1
	}
	order := slices.Clone(allowed)
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.value[b], m.value[a]), cmp.Compare(a, b))
	})
	for at, i := range order {
		s.rank[i] = int32(at)
	}
	for i := range s.watch {
		s.watch[i] = nowhere
	}
	for _, i := range start {
		s.add(int32(i))
	}
	for _, i := range order {
		if !s.selected[i] {
			s.loose = append(s.loose, i)
		}
	}
	s.refill()
	return s
}

func (s *selection) groupRow(i int32) int32 { return int32(s.m.rows()) + s.m.group[i] }

// blocker returns a row that keeps column i out, and its amount there.
func (s *selection) blocker(i int32) (row, amount int32) {
	if g := s.groupRow(i); s.slack[g] == 0 {
		return g, 1
	}
	rows, amounts := s.m.byColumn.of(i)
	for t, r := range rows {
		if s.slack[r] < amounts[t] {
			s.work += t + 1
			return r, amounts[t]
		}
	}
	s.work += len(rows) + 1
	return nowhere, 0
}

func (s *selection) add(i int32) {
	s.unwatch(i)
	s.selected[i] = true
	s.value += s.m.value[i]
	rows, amounts := s.m.byColumn.of(i)
	for t, r := range rows {
		s.slack[r] -= amounts[t]
		s.inside[r] = append(s.inside[r], i)
	}
	g := s.groupRow(i)
	s.slack[g] = 0
	s.inside[g] = append(s.inside[g], i)
	s.work += len(rows) + 1
}

func (s *selection) remove(i int32) {
	s.selected[i] = false
	s.value -= s.m.value[i]
	rows, amounts := s.m.byColumn.of(i)
	for t, r := range rows {
		s.slack[r] += amounts[t]
		s.drop(r, i)
	}
	s.freed = append(s.freed, rows...)
	g := s.groupRow(i)
	s.slack[g] = 1
	s.drop(g, i)
	s.freed = append(s.freed, g)
	s.loose = append(s.loose, i)
	s.work += len(rows) + 1
}

func (s *selection) drop(r, i int32) {
	list := s.inside[r]
	list[slices.Index(list, i)] = list[len(list)-1]
	s.inside[r] = list[:len(list)-1]
}

func (s *selection) unwatch(i int32) {
	r := s.watch[i]
	if r == nowhere {
		return
	}
	list := s.watchers[r]
	last := list[len(list)-1]
	list[s.place[i]], s.place[last.column] = last, s.place[i]
	s.watchers[r] = list[:len(list)-1]
	s.watch[i] = nowhere
}

// refill adds every loose column that fits, the most valuable first, finds a
// watch for the others, and returns what it added. The result is valid until
// the next call.
func (s *selection) refill() []int32 {
	for _, r := range s.freed {
		for k := len(s.watchers[r]) - 1; k >= 0; k-- {
			if w := s.watchers[r][k]; w.amount <= s.slack[r] {
				s.unwatch(w.column)
				s.loose = append(s.loose, w.column)
			}
		}
		s.work += len(s.watchers[r]) + 1
	}
	s.freed = s.freed[:0]
	s.fresh = s.fresh[:0]
	candidates := s.loose[:0]
	for _, i := range s.loose {
		if s.selected[i] || s.watch[i] != nowhere {
			continue
		}
		if !s.keepOut(i) {
			candidates = append(candidates, i)
		}
	}
	slices.SortFunc(candidates, func(a, b int32) int { return cmp.Compare(s.rank[a], s.rank[b]) })
	for _, i := range candidates {
		if !s.selected[i] && s.watch[i] == nowhere && !s.keepOut(i) {
			s.add(i)
			s.fresh = append(s.fresh, i)
		}
	}
	s.loose = s.loose[:0]
	return s.fresh
}

// keepOut finds a watch for column i and reports whether there is one.
func (s *selection) keepOut(i int32) bool {
	r, amount := s.blocker(i)
	if r == nowhere {
		return false
	}
	s.watch[i], s.place[i] = r, int32(len(s.watchers[r]))
	s.watchers[r] = append(s.watchers[r], watcher{i, amount})
	return true
}

// columns returns the selection, ascending.
func (s *selection) columns() []int {
	selected := []int{}
	for i, in := range s.selected {
		if in {
			selected = append(selected, i)
		}
	}
	return selected
}
