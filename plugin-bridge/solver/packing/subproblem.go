package packing

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// subproblem is a problem under reduction: some of its columns, their groups, and the
// rows over them. The groups are no rows here: as rows they might be left out because
// another row implies them, and the groups are needed.
type subproblem struct {
	objective []float64
	groups    [][]int
	rows      []auction.Constraint
	// origin are the columns of the original problem.
	origin []int
}

// newSubproblem returns the whole problem without the rows that forbid no more than
// the groups do.
func newSubproblem(p auction.Problem) subproblem {
	q := subproblem{objective: p.Objective, groups: p.Groups(), origin: make([]int, len(p.Objective))}
	group := q.groupOf()
	for i := range q.origin {
		q.origin[i] = i
	}
	for _, row := range p.Rows {
		if restricts(row, group) {
			q.rows = append(q.rows, row)
		}
	}
	return q
}

// restricts reports whether a row forbids more than its columns' groups do, by
// which at most one column of each group is selected.
func restricts(row auction.Constraint, group []int) bool {
	other := func(i int) bool { return group[i] != group[row.Columns[0]] }
	return slices.ContainsFunc(row.Columns, other) || slices.Max(row.Coefficients) > row.Bound
}

func (q subproblem) model() *model { return newModel(q.objective, q.groups, q.rows) }

// terms is the number of terms of all rows.
func (q subproblem) terms() int {
	n := 0
	for _, row := range q.rows {
		n += len(row.Columns)
	}
	return n
}

func isCut(row auction.Constraint) bool { return row.Kind == auction.CutRow }

// without leaves out the cuts whose multiplier is 0. Rows that are no cuts stay, as
// they decide what is feasible.
func (q subproblem) without(lambda []float64) subproblem {
	var rows []auction.Constraint
	for r, row := range q.rows {
		if !isCut(row) || lambda[r] > 0 {
			rows = append(rows, row)
		}
	}
	q.rows = rows
	return q
}

// withoutCuts leaves out all cuts.
func (q subproblem) withoutCuts() subproblem {
	q.rows = slices.DeleteFunc(slices.Clone(q.rows), isCut)
	return q
}

// groupOf returns the group of each column.
func (q subproblem) groupOf() []int {
	group := make([]int, len(q.objective))
	for g, members := range q.groups {
		for _, i := range members {
			group[i] = g
		}
	}
	return group
}

// here translates a selection of the original problem into columns of q. Columns that
// q does not have are left out.
func (q subproblem) here(selected []int) []int {
	var columns []int
	for _, i := range selected {
		if at, found := slices.BinarySearch(q.origin, i); found {
			columns = append(columns, at)
		}
	}
	return columns
}

// there translates columns of q into a selection of the original problem.
func (q subproblem) there(columns []int) []int {
	selected := make([]int, len(columns))
	for at, i := range columns {
		selected[at] = q.origin[i]
	}
	return selected
}

// restrict returns the subproblem of the given columns, ascending.
func (q subproblem) restrict(columns []int32) subproblem {
	position := make([]int, len(q.objective))
	for i := range position {
		position[i] = nowhere
	}
	var r subproblem
	for at, i := range columns {
		position[i] = at
		r.objective = append(r.objective, q.objective[i])
		r.origin = append(r.origin, q.origin[i])
	}
	for _, members := range q.groups {
		var kept []int
		for _, i := range members {
			if position[i] != nowhere {
				kept = append(kept, position[i])
			}
		}
		if len(kept) > 0 {
			r.groups = append(r.groups, kept)
		}
	}
	for _, row := range q.rows {
		kept := auction.Constraint{Kind: row.Kind, Job: row.Job, Of: row.Of, Bound: row.Bound}
		for t, i := range row.Columns {
			if position[i] != nowhere {
				kept.Columns = append(kept.Columns, position[i])
				kept.Coefficients = append(kept.Coefficients, row.Coefficients[t])
			}
		}
		if len(kept.Columns) > 0 {
			r.rows = append(r.rows, kept)
		}
	}
	return r
}

// relaxed writes q for an Engine: with a row for each group of more than one column,
// before the other rows, and with the number of these.
func (q subproblem) relaxed() (p auction.Problem, groupRows int) {
	p.Objective = q.objective
	for _, members := range q.groups {
		if len(members) > 1 {
			p.Rows = append(p.Rows, auction.Constraint{
				Kind: auction.JobRow, Columns: members, Coefficients: slices.Repeat([]int{1}, len(members)), Bound: 1,
			})
		}
	}
	groupRows = len(p.Rows)
	p.Rows = append(p.Rows, q.rows...)
	return p, groupRows
}
