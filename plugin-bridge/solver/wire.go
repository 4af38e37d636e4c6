package solver

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Both directions of the pipes are gob streams: requests one way, for each of
// them any number of answers the other way, the last with Final set.

// request asks for a program to be solved.
type request struct {
	Number  int
	Program matrix
	// Auction says that the program is an auction's, which the stages of package
	// packing solve, from the feasible selection Start and the proven bound Bound.
	// HiGHS alone solves others.
	Auction bool
	Start   []int
	Bound   float64
	// Point is a feasible point that HiGHS begins with in another program, or nil.
	Point []float64
	// Limit is the real time left.
	Limit time.Duration
}

// answer is what the worker knows of a program.
type answer struct {
	Number int
	// Selected are the columns of 1 in an auction's program, Values the values of
	// all columns in another one, nil where no new point was found.
	Selected []int
	Values   []float64
	Bound    float64
	Status   program.Status
	Phases   []auction.Phase
	Final    bool
	// Failure says why the worker could not go on, where it could not.
	Failure string
}

// matrix is a program in flat arrays, because a program may have a million terms.
// Names stay with the owner of the worker.
type matrix struct {
	Maximise  bool
	Objective []float64
	// Enough of an auction's problem.
	Enough float64
	// Lower, Upper and Whole describe the columns; all three are empty where all
	// columns are 0 or 1, as in an auction.
	Lower, Upper []float64
	Whole        []bool
	// Kinds describe an auction's constraints, Senses other constraints.
	Kinds  []auction.RowKind
	Senses []program.Sense
	RHS    []float64
	// Counts are the numbers of terms of each row.
	Counts       []int
	Columns      []int32
	Coefficients []float64
}

// flattenAuction writes the problem of an auction.
func flattenAuction(p auction.Problem) matrix {
	m := matrix{Maximise: true, Objective: p.Objective, Enough: p.Enough}
	m.allocate(len(p.Rows), p.NonZeros())
	for _, r := range p.Rows {
		m.Kinds = append(m.Kinds, r.Kind)
		m.RHS = append(m.RHS, float64(r.Bound))
		m.Counts = append(m.Counts, len(r.Columns))
		for t, i := range r.Columns {
			m.Columns = append(m.Columns, int32(i))
			m.Coefficients = append(m.Coefficients, float64(r.Coefficients[t]))
		}
	}
	return m
}

// flatten writes a program of any form.
func flatten(p program.Program) matrix {
	m := matrix{Maximise: p.Maximise}
	for _, v := range p.Variables {
		m.Objective = append(m.Objective, v.Objective)
		m.Lower, m.Upper, m.Whole = append(m.Lower, v.Lower), append(m.Upper, v.Upper), append(m.Whole, v.Integer)
	}
	m.allocate(len(p.Rows), p.NonZeros())
	for _, r := range p.Rows {
		m.Senses = append(m.Senses, r.Sense)
		m.RHS = append(m.RHS, r.RHS)
		m.Counts = append(m.Counts, len(r.Variables))
		for _, i := range r.Variables {
			m.Columns = append(m.Columns, int32(i))
		}
		m.Coefficients = append(m.Coefficients, r.Coefficients...)
	}
	return m
}

func (m *matrix) allocate(rows, terms int) {
	m.RHS, m.Counts = make([]float64, 0, rows), make([]int, 0, rows)
	m.Columns, m.Coefficients = make([]int32, 0, terms), make([]float64, 0, terms)
}

// auction reads what flattenAuction wrote.
func (m matrix) auction() auction.Problem {
	p := auction.Problem{Objective: m.Objective, Enough: m.Enough, Rows: make([]auction.Constraint, len(m.RHS))}
	columns, coefficients := m.columns(), make([]int, len(m.Coefficients))
	for t, c := range m.Coefficients {
		coefficients[t] = int(c)
	}
	first := 0
	for r, n := range m.Counts {
		p.Rows[r] = auction.Constraint{
			Kind: m.Kinds[r], Columns: columns[first : first+n], Coefficients: coefficients[first : first+n], Bound: int(m.RHS[r]),
		}
		first += n
	}
	return p
}

// program reads what flatten wrote. Names are numbers, counted from 0.
func (m matrix) program() program.Program {
	p := program.Program{
		Maximise: m.Maximise, Variables: make([]program.Variable, len(m.Objective)), Rows: make([]program.Row, len(m.RHS)),
	}
	for i, v := range m.Objective {
		p.Variables[i] = program.Variable{Name: fmt.Sprintf("x%d", i), Lower: m.Lower[i], Upper: m.Upper[i], Integer: m.Whole[i], Objective: v}
	}
	columns, first := m.columns(), 0
	for r, n := range m.Counts {
		p.Rows[r] = program.Row{
			Name: fmt.Sprintf("r%d", r), Variables: columns[first : first+n], Coefficients: m.Coefficients[first : first+n],
			Sense: m.Senses[r], RHS: m.RHS[r],
		}
		first += n
	}
	return p
}

func (m matrix) columns() []int {
	columns := make([]int, len(m.Columns))
	for t, i := range m.Columns {
		columns[t] = int(i)
	}
	return columns
}
