package packing

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// model is a problem in flat arrays, by rows and by columns, because the search
// touches tens of millions of terms. Of each group at most one column can be
// selected; the groups are a partition, and no rows are needed for them.
type model struct {
	value []float64
	bound []int32
	// byRow and byColumn hold the same terms; at is the other coordinate.
	byRow, byColumn lines
	group           []int32
	members         [][]int32
	// stretches are the columns in short: the bids of an auction take the same
	// from node after node, and rows are in the order of nodes.
	stretches stretches
}

// lines are sparse vectors behind each other: vector k is the terms start[k] to
// start[k+1].
type lines struct {
	start  []int32
	at     []int32
	amount []int32
}

func (l *lines) of(k int32) (at, amount []int32) {
	a, b := l.start[k], l.start[k+1]
	return l.at[a:b], l.amount[a:b]
}

// newModel needs groups as auction.Problem.Groups returns them, ascending
// inside. Its rows are those given, in their order.
func newModel(objective []float64, groups [][]int, rows []auction.Row) *model {
	m := &model{value: objective, group: make([]int32, len(objective)), members: make([][]int32, len(groups))}
	for g, columns := range groups {
		for _, i := range columns {
			m.group[i] = int32(g)
			m.members[g] = append(m.members[g], int32(i))
		}
	}
	terms := 0
	for _, row := range rows {
		terms += len(row.Columns)
	}
	m.byRow = lines{start: make([]int32, 1, len(rows)+1), at: make([]int32, 0, terms), amount: make([]int32, 0, terms)}
	count := make([]int32, len(objective)+1)
	for _, row := range rows {
		for t, i := range row.Columns {
			m.byRow.at = append(m.byRow.at, int32(i))
			m.byRow.amount = append(m.byRow.amount, int32(row.Coefficients[t]))
			count[i+1]++
		}
		m.byRow.start = append(m.byRow.start, int32(len(m.byRow.at)))
		m.bound = append(m.bound, int32(row.Bound))
	}
	m.byColumn = m.byRow.transpose(count)
	m.stretches = m.byColumn.stretches()
	return m
}

// transpose exchanges rows and columns; count[i+1] is the number of terms of
// column i, and becomes the starts.
func (l *lines) transpose(count []int32) lines {
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	next := slices.Clone(count)
	t := lines{start: count, at: make([]int32, len(l.at)), amount: make([]int32, len(l.at))}
	for r := range int32(len(l.start) - 1) {
		at, amount := l.of(r)
		for k, i := range at {
			t.at[next[i]], t.amount[next[i]] = r, amount[k]
			next[i]++
		}
	}
	return t
}

func (m *model) columns() int { return len(m.value) }
func (m *model) rows() int    { return len(m.bound) }
