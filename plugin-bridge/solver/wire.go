package solver

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// Both directions of the pipes are gob streams: requests one way, for each of
// them any number of answers the other way, the last with Final set.

// request asks for a problem to be solved.
type request struct {
	Number  int
	Problem matrix
	// Start is a feasible selection, Bound a proven bound.
	Start []int
	Bound float64
	// Limit is the real time left, Seed that of every random choice.
	Limit time.Duration
	Seed  uint64
}

// answer is what the worker knows after some stage.
type answer struct {
	Number   int
	Selected []int
	Bound    float64
	Status   auction.Status
	Phases   []auction.Phase
	Final    bool
	// Failure says why the worker could not go on, where it could not.
	Failure string
}

// matrix is an auction.Problem in flat arrays, without names.
type matrix struct {
	Objective []float64
	Bounds    []int
	// Counts are the numbers of terms of each row.
	Counts                []int
	Columns, Coefficients []int32
}

func flatten(p auction.Problem) matrix {
	m := matrix{Objective: p.Objective}
	terms := p.NonZeros()
	m.Columns, m.Coefficients = make([]int32, 0, terms), make([]int32, 0, terms)
	for _, r := range p.Rows {
		m.Bounds = append(m.Bounds, r.Bound)
		m.Counts = append(m.Counts, len(r.Columns))
		for t, i := range r.Columns {
			m.Columns = append(m.Columns, int32(i))
			m.Coefficients = append(m.Coefficients, int32(r.Coefficients[t]))
		}
	}
	return m
}

func (m matrix) problem() auction.Problem {
	p := auction.Problem{Objective: m.Objective, Rows: make([]auction.Row, len(m.Bounds))}
	columns, coefficients := make([]int, len(m.Columns)), make([]int, len(m.Columns))
	for t := range columns {
		columns[t], coefficients[t] = int(m.Columns[t]), int(m.Coefficients[t])
	}
	first := 0
	for r, n := range m.Counts {
		p.Rows[r] = auction.Row{
			Columns: columns[first : first+n], Coefficients: coefficients[first : first+n], Bound: m.Bounds[r],
		}
		first += n
	}
	return p
}
