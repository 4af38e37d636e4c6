package packing

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// program is a problem under reduction: rows over some of the columns. Groups
// stay apart from the rows, since rows of the groups may be dominated.
type program struct {
	objective []float64
	groups    [][]int
	rows      []auction.Row
	// origin are the columns of the original problem.
	origin []int
}

// newProgram leaves out the rows that say no more than the groups.
func newProgram(p auction.Problem) program {
	q := program{objective: p.Objective, groups: p.Groups(), origin: make([]int, len(p.Objective))}
	group := q.groupOf()
	for i := range q.origin {
		q.origin[i] = i
	}
	for _, row := range p.Rows {
		other := func(i int) bool { return group[i] != group[row.Columns[0]] }
		if slices.ContainsFunc(row.Columns, other) || slices.Max(row.Coefficients) > row.Bound {
			q.rows = append(q.rows, row)
		}
	}
	return q
}

func (q program) model() *model { return newModel(q.objective, q.groups, q.rows) }

// terms is the number of terms of all rows.
func (q program) terms() int {
	n := 0
	for _, row := range q.rows {
		n += len(row.Columns)
	}
	return n
}

// without leaves out the cuts of multiplier 0. Other rows are needed: they say
// what is feasible.
func (q program) without(lambda []float64) program {
	var rows []auction.Row
	for r, row := range q.rows {
		if !isCut(row) || lambda[r] > 0 {
			rows = append(rows, row)
		}
	}
	q.rows = rows
	return q
}

// withoutCuts leaves out all cuts.
func (q program) withoutCuts() program {
	q.rows = slices.DeleteFunc(slices.Clone(q.rows), isCut)
	return q
}

// groupOf returns the group of each column.
func (q program) groupOf() []int {
	group := make([]int, len(q.objective))
	for g, members := range q.groups {
		for _, i := range members {
			group[i] = g
		}
	}
	return group
}

// here translates a selection of the original problem; columns that the program
// does not have are left out.
func (q program) here(selected []int) []int {
	var columns []int
	for _, i := range selected {
		if at, found := slices.BinarySearch(q.origin, i); found {
			columns = append(columns, at)
		}
	}
	return columns
}

// there translates back.
func (q program) there(columns []int) []int {
	selected := make([]int, len(columns))
	for at, i := range columns {
		selected[at] = q.origin[i]
	}
	return selected
}

// restrict keeps the given columns, ascending.
func (q program) restrict(columns []int32) program {
	position := make([]int, len(q.objective))
	for i := range position {
		position[i] = nowhere
	}
	var r program
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
		kept := auction.Row{Name: row.Name, Bound: row.Bound}
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

// relaxed writes the program with a row for each group of more than one
// column, before the other rows.
func (q program) relaxed() (p auction.Problem, groupRows int) {
	p.Objective = q.objective
	for _, members := range q.groups {
		if len(members) > 1 {
			p.Rows = append(p.Rows, auction.Row{
				Name: "(2)", Columns: members, Coefficients: slices.Repeat([]int{1}, len(members)), Bound: 1,
			})
		}
	}
	groupRows = len(p.Rows)
	p.Rows = append(p.Rows, q.rows...)
	return p, groupRows
}
