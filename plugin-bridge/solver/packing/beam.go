package packing

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// beam prepares beam searches in a model: selections are built from the first constraint to the last. The columns are
// looked at in the order of their first constraints. Each state, a selection of the columns so far, goes on without
// the next column and, if there is room, with it. Of all these the states of largest bound stay. The bound is what
// they are worth, and what the rest may add at the prices of the constraints, where the room that a state has left in
// finished constraints is lost.
//
// It finds selections of bids on idle machines that leave few nodes between them. The
// annealing of search, which puts one column in the place of others, seldom gets there.
type beam struct {
	m      *model
	lambda []float64
	// order are the columns that fit. Those from one of ends up to the next have the
	// same first row, and are a block.
	order []int32
	ends  []int
	// over are the rows that no column after a block uses.
	over  [][]int32
	lanes *lanes
	// lengths are the numbers of rows of the columns.
	lengths []int
	// mark is a random number for each word of lanes, and marks are the sums of the marks
	// before each. Two states with equal sums of marks, each times what is taken of its
	// word, leave the same room.
	mark, marks []uint64
}

// course is how one search of a beam goes.
type course struct {
	// width is the largest number of states.
	width int
	// markup multiplies the prices of the rows: with more than 1, states that lose less
	// room stay.
	markup float64
	// noise is the largest part of its value by which a column counts for more or less
	// than it is worth.
	noise float64
	seed  uint64
}

// newBeam returns a beam for the columns of m, the prices of whose rows are lambda.
func newBeam(m *model, lambda []float64) *beam {
	b := &beam{m: m, lambda: lambda, order: m.fitting()}
	b.lanes = newLanes(m, b.order)
	b.lengths = make([]int, m.columns())
	for i := range b.lengths {
		b.lengths[i] = m.stretches.length(int32(i))
	}
	words := len(b.lanes.bound)
	b.mark, b.marks = make([]uint64, words), make([]uint64, words+1)
	random := rand.New(rand.NewPCG(0, 0))
	for w := range b.mark {
		b.mark[w] = random.Uint64()
		b.marks[w+1] = b.marks[w] + b.mark[w]
	}
	slices.SortStableFunc(b.order, func(i, j int32) int { return cmp.Compare(m.first(i), m.first(j)) })
	for at := range b.order {
		if at+1 == len(b.order) || m.first(b.order[at+1]) != m.first(b.order[at]) {
			b.ends = append(b.ends, at+1)
		}
	}
	b.over = make([][]int32, len(b.ends))
	used := make([]bool, m.rows())
	at := len(b.order)
	for k := len(b.ends) - 1; k >= 0; k-- {
		for begin := b.begin(k); at > begin; at-- {
			for _, run := range m.stretches.vector(b.order[at-1]) {
				for r := run.first; r < run.end; r++ {
					if !used[r] {
						used[r] = true
						b.over[k] = append(b.over[k], r)
					}
				}
			}
		}
	}
	return b
}

func (b *beam) begin(block int) int {
	if block == 0 {
		return 0
	}
	return b.ends[block-1]
}

// search follows a course. It returns the best selection of all its states, ascending, and
// the rows and columns looked at.
func (b *beam) search(by course, stop func() bool) ([]int32, int) {
	s := b.sweep(by)
	at := 0
	for k, end := range b.ends {
		if stop() {
			break
		}
		for ; at < end; at++ {
			s.extend(at)
		}
		s.lose(b.over[k])
	}
	return s.selected(), s.work
}
