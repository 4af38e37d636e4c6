package auction

import (
	"fmt"
	"strings"
)

// Problem is a binary packing program:
//
//	maximise   sum_i Objective[i] * b_i
//	subject to sum_i a_ri * b_i <= Bound_r  for each row r,  b_i in {0,1}
//
// with positive coefficients, so that selecting nothing is always feasible.
type Problem struct {
	// Objective has one positive entry for each column, which is a bid.
	Objective []float64
	Rows      []Constraint
	// Enough is the part of a selection's value below which what a better one may gain is not
	// worth looking for; 0 has the search go on to the proof.
	Enough float64
	// Slack counts the rows left out because no selection can violate them,
	// Merged those left out because another row has the same left-hand side
	// and a bound at most as large.
	Slack, Merged int
}

// Constraint is one constraint. It has at least one term, since a row without terms would
// shift the matrix that lanl/highs builds.
type Constraint struct {
	Kind RowKind
	// Job is the ID of the job of a JobRow, or of the job for which a reservation
	// keeps something; 0 otherwise.
	Job int
	// Of is the name of the node or of the licence that the row limits; empty
	// where it limits neither.
	Of string
	// Columns are ascending; Coefficients, all positive, belong to them.
	Columns      []int
	Coefficients []int
	Bound        int
}

// NonZeros is the number of terms over all rows.
func (p Problem) NonZeros() int {
	n := 0
	for _, r := range p.Rows {
		n += len(r.Columns)
	}
	return n
}

// Value is the objective value of a selection of columns, summed in the given order:
// equal selections have exactly equal values.
func (p Problem) Value(selected []int) float64 {
	v := 0.0
	for _, i := range selected {
		v += p.Objective[i]
	}
	return v
}

// Check returns an error if the selection is not ascending, names a column
// that does not exist, or violates a row.
func (p Problem) Check(selected []int) error {
	chosen := make([]bool, len(p.Objective))
	for n, i := range selected {
		if i < 0 || i >= len(p.Objective) {
			return fmt.Errorf("check selection: column %d of %d", i, len(p.Objective))
		}
		if n > 0 && selected[n-1] >= i {
			return fmt.Errorf("check selection: column %d after %d, allowed is ascending order", i, selected[n-1])
		}
		chosen[i] = true
	}
	for _, r := range p.Rows {
		sum := 0
		for t, i := range r.Columns {
			if chosen[i] {
				sum += r.Coefficients[t]
			}
		}
		if sum > r.Bound {
			return fmt.Errorf("check selection: row %s has %d of at most %d", r.Name(), sum, r.Bound)
		}
	}
	return nil
}

// Groups splits the columns by job; at most one column of a job can be selected. A group is the columns of a
// [JobRow], or a column in no such row by itself. Groups are in the order of their first columns.
func (p Problem) Groups() [][]int {
	of := make([]int, len(p.Objective))
	for i := range of {
		of[i] = -1
	}
	for r, row := range p.Rows {
		if row.Kind != JobRow {
			continue
		}
		for _, i := range row.Columns {
			of[i] = r
		}
	}
	var all [][]int
	position := make(map[int]int)
	for i, r := range of {
		at, known := position[r]
		if r < 0 || !known {
			position[r] = len(all)
			all = append(all, []int{i})
			continue
		}
		all[at] = append(all[at], i)
	}
	return all
}

// String writes the program as algebra, one row a line.
func (p Problem) String() string {
	var out strings.Builder
	out.WriteString("maximise")
	for i, v := range p.Objective {
		fmt.Fprintf(&out, " +%.6g b%d", v, i)
	}
	out.WriteByte('\n')
	for _, r := range p.Rows {
		out.WriteString(r.Name() + ":")
		for t, i := range r.Columns {
			out.WriteString(" +")
			if r.Coefficients[t] != 1 {
				fmt.Fprintf(&out, "%d ", r.Coefficients[t])
			}
			fmt.Fprintf(&out, "b%d", i)
		}
		fmt.Fprintf(&out, " <= %d\n", r.Bound)
	}
	fmt.Fprintf(&out, "%d columns, %d rows, %d nonzeros; left out %d slack and %d equal rows\n",
		len(p.Objective), len(p.Rows), p.NonZeros(), p.Slack, p.Merged)
	return out.String()
}
