package packing

import "github.com/slurmlab/slurmlab/plugin-bridge/auction"

// stretches is a list of sparse vectors. Each vector is stored as its runs of equal
// amounts at neighbouring coordinates, ascending: vector k is of[start[k]] up to
// of[start[k+1]], without that. A bid takes the same amount of node after node, and
// the rows are in the order of the nodes, so that one run stands for many terms: on an
// idle machine there are a hundred times fewer runs than terms.
type stretches struct {
	start []int32
	of    []stretch
}

// stretch is an amount at the coordinates from first up to end, without end.
type stretch struct{ first, end, amount int32 }

// newStretches returns the columns of the given rows as vectors over the rows.
func newStretches(columns int, rows []auction.Row) stretches {
	var found stretches
	// last is the latest stretch of each column. next links each stretch to the
	// one before it of the same column.
	last := make([]int32, columns)
	for i := range last {
		last[i] = nowhere
	}
	var next []int32
	count := make([]int32, columns+1)
	for r, row := range rows {
		at := int32(r)
		for t, i := range row.Columns {
			amount := int32(row.Coefficients[t])
			if k := last[i]; k != nowhere {
				if s := &found.of[k]; s.end == at && s.amount == amount {
					s.end++
					continue
				}
			}
			found.of, next = append(found.of, stretch{at, at + 1, amount}), append(next, last[i])
			last[i] = int32(len(next) - 1)
			count[i+1]++
		}
	}
	s := stretches{start: count, of: make([]stretch, len(found.of))}
	for i := range last {
		s.start[i+1] += s.start[i]
		to := s.start[i+1]
		for k := last[i]; k != nowhere; k = next[k] {
			to--
			s.of[to] = found.of[k]
		}
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
	for r, w := range weights {
		sums[r+1] = sums[r] + w
	}
	for k := range products {
		sum := 0.0
		for _, run := range s.vector(int32(k)) {
			sum += float64(run.amount) * (sums[run.end] - sums[run.first])
		}
		products[k] = sum
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
