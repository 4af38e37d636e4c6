package packing

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// stretches is a list of sparse vectors. Each vector is stored as its runs of equal amounts at neighbouring
// coordinates, ascending: vector k is of[start[k]] up to of[start[k+1]], without that. A bid takes the same amount of
// node after node, and the constraints are in the order of the nodes. So one run stands for many terms: on an idle
// machine there are a hundred times fewer runs than terms.
type stretches struct {
	start []int32
	of    []stretch
}

// stretch is an amount at the coordinates from first up to end, without end.
type stretch struct{ first, end, amount int32 }

// newStretches returns the columns of the given rows as vectors over the rows.
func newStretches(columns int, rows []auction.Constraint) stretches {
	// open is the stretch of each column that may go on. ended are those that have ended, and
	// of is the column of each.
	open := make([]stretch, columns)
	var ended []stretch
	var of []int32
	for r, row := range rows {
		at := int32(r)
		for t, i := range row.Columns {
			amount, last := int32(row.Coefficients[t]), &open[i]
			if last.end == at && last.amount == amount {
				last.end++
				continue
			}
			if last.end > 0 {
				ended, of = append(ended, *last), append(of, int32(i))
			}
			*last = stretch{at, at + 1, amount}
		}
	}
	for i, last := range open {
		if last.end > 0 {
			ended, of = append(ended, last), append(of, int32(i))
		}
	}
	s := stretches{start: make([]int32, columns+1), of: make([]stretch, len(ended))}
	for _, i := range of {
		s.start[i+1]++
	}
	for i := range columns {
		s.start[i+1] += s.start[i]
	}
	next := slices.Clone(s.start)
	for k, i := range of {
		s.of[next[i]] = ended[k]
		next[i]++
	}
	return s
}

func (s *stretches) vector(k int32) []stretch { return s.of[s.start[k]:s.start[k+1]] }

// length is the number of coordinates of vector k.
func (s *stretches) length(k int32) int {
	n := int32(0)
	for _, run := range s.vector(k) {
		n += run.end - run.first
	}
	return int(n)
}

// times fills products with the scalar product of each vector with weights. sums is
// scratch space, one longer than weights, whose first entry is 0.
func (s *stretches) times(weights, sums, products []float64) {
	upTo := 0.0
	for r, w := range weights {
		upTo += w
		sums[r+1] = upTo
	}
	at := 0
	for k, end := range s.start[1:] {
		sum := 0.0
		for _, run := range s.of[at:end] {
			sum += float64(run.amount) * (sums[run.end] - sums[run.first])
		}
		products[k], at = sum, int(end)
	}
}

// at is the amount of vector k at a coordinate, 0 outside its stretches.
func (s *stretches) at(k, coordinate int32) int32 {
	for _, run := range s.vector(k) {
		if run.first <= coordinate && coordinate < run.end {
			return run.amount
		}
	}
	return 0
}
