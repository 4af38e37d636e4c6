package packing

// stretches are sparse vectors behind each other, each as its runs of equal
// amounts at neighbouring coordinates: vector k is of[start[k]] to
// of[start[k+1]]. On an idle machine they are a hundredth of the terms.
type stretches struct {
	start []int32
	of    []stretch
}

// stretch is an amount at the coordinates from first up to end, without end.
type stretch struct{ first, end, amount int32 }

func (l *lines) stretches() stretches {
	s := stretches{start: make([]int32, 1, len(l.start))}
	for k := range int32(len(l.start) - 1) {
		at, amount := l.of(k)
		for t, i := range at {
			if t > 0 {
				if last := &s.of[len(s.of)-1]; last.end == i && last.amount == amount[t] {
					last.end++
					continue
				}
			}
			s.of = append(s.of, stretch{i, i + 1, amount[t]})
		}
		s.start = append(s.start, int32(len(s.of)))
	}
	return s
}

func (s *stretches) vector(k int32) []stretch { return s.of[s.start[k]:s.start[k+1]] }

// times fills products with the product of each vector and weights. sums is
// scratch, one longer than weights.
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
