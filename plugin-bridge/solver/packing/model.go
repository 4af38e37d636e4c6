package packing

import "github.com/slurmlab/slurmlab/plugin-bridge/auction"

// model is a problem in flat arrays, because the search touches tens of millions
// of terms. Each column is in one group, of which at most one column can be
// selected; the model has no rows for the groups.
type model struct {
	value   []float64
	bound   []int32
	group   []int32
	members [][]int32
	// stretches has the coefficients of each column, over the rows.
	stretches stretches
}

// newModel returns the model of the groups, as auction.Problem.Groups returns them,
// and of the rows in the given order.
func newModel(objective []float64, groups [][]int, rows []auction.Constraint) *model {
	m := &model{
		value: objective, bound: make([]int32, len(rows)), group: make([]int32, len(objective)),
		members: make([][]int32, len(groups)), stretches: newStretches(len(objective), rows),
	}
	for g, columns := range groups {
		for _, i := range columns {
			m.group[i] = int32(g)
			m.members[g] = append(m.members[g], int32(i))
		}
	}
	for r, row := range rows {
		m.bound[r] = int32(row.Bound)
	}
	return m
}

func (m *model) columns() int { return len(m.value) }
func (m *model) rows() int    { return len(m.bound) }

// first is the first row of column i, or nowhere.
func (m *model) first(i int32) int32 {
	if runs := m.stretches.vector(i); len(runs) > 0 {
		return runs[0].first
	}
	return nowhere
}

// fitting returns, ascending, the columns that exceed no row when nothing else is
// selected.
func (m *model) fitting() []int32 {
	var all []int32
	for i := range int32(m.columns()) {
		if m.blocker(i, m.bound) == nowhere {
			all = append(all, i)
		}
	}
	return all
}

// blocker returns the first row of column i that has less slack than the column
// takes, or nowhere.
func (m *model) blocker(i int32, slack []int32) int32 {
	for _, run := range m.stretches.vector(i) {
		for k, s := range slack[run.first:run.end] {
			if s < run.amount {
				return run.first + int32(k)
			}
		}
	}
	return nowhere
}

// take lowers the slack by what column i takes, sign times.
func (m *model) take(i int32, slack []int32, sign int32) {
	for _, run := range m.stretches.vector(i) {
		amount := sign * run.amount
		part := slack[run.first:run.end]
		for k := range part {
			part[k] -= amount
		}
	}
}
