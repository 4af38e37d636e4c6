package packing

import (
	"math"
	"slices"
)

// dual is the Lagrangean relaxation of all rows of a model with the groups
// kept. For any multipliers lambda >= 0,
//
//	bound = sum_r lambda_r bound_r + sum_g max(0, max_{i in g} reduced_i),
//	reduced_i = value_i - sum_r lambda_r a_ri
//
// is at least the value of every selection. It serves multipliers of any
// origin, so the bound of a linear program is proven here, in our arithmetic,
// and not by the solver's tolerances.
type dual struct {
	lambda, reduced []float64
	// best is the column of largest positive reduced value of each group, or
	// nowhere.
	best  []int32
	bound float64
}

// evaluate fills reduced, best and bound from lambda.
func (d *dual) evaluate(m *model) {
	for i, v := range m.value {
		for _, run := range m.stretches.vector(int32(i)) {
			amount := float64(run.amount)
			for _, l := range d.lambda[run.first:run.end] {
				v -= l * amount
			}
		}
		d.reduced[i] = v
	}
	d.bound = 0
	for r, l := range d.lambda {
		d.bound += l * float64(m.bound[r])
	}
	d.choose(m)
}

// estimate does the same by prefix sums of lambda. It is much faster and its
// rounding errors are larger, so it leads the way and proves nothing.
func (d *dual) estimate(m *model, sums []float64) {
	m.stretches.times(d.lambda, sums, d.reduced)
	for i, v := range m.value {
		d.reduced[i] = v - d.reduced[i]
	}
	d.bound = 0
	for r, l := range d.lambda {
		d.bound += l * float64(m.bound[r])
	}
	d.choose(m)
}

// choose takes the best column of each group and adds it to the bound.
func (d *dual) choose(m *model) {
	for g, members := range m.members {
		d.best[g] = nowhere
		top := 0.0
		for _, i := range members {
			if d.reduced[i] > top {
				top, d.best[g] = d.reduced[i], i
			}
		}
		d.bound += top
	}
}

func newDual(m *model, lambda []float64) *dual {
	d := &dual{lambda: lambda, reduced: make([]float64, m.columns()), best: make([]int32, len(m.members))}
	d.evaluate(m)
	return d
}

// subgradient improves the bound from lambda for a number of steps, or until
// it meets incumbent, the value of some selection. The step is Polyak's, with
// the incumbent as the target and a factor that halves when the bound stalls.
func subgradient(m *model, lambda []float64, incumbent float64, steps int, stop func() bool) (*dual, int) {
	const (
		stall = 12
		// A smaller step moves nothing any more.
		least = 1e-3
	)
	d := newDual(m, append([]float64(nil), lambda...))
	slope, room, sums := make([]float64, m.rows()), make([]float64, m.rows()), make([]float64, m.rows()+1)
	d.level(m, sums)
	best := &dual{lambda: append([]float64(nil), d.lambda...), bound: d.bound}
	factor, since, step := 1.0, 0, 0
	for ; step < steps && factor > least && best.bound > incumbent && !stop(); step++ {
		m.room(d.best, room)
		// The last direction damps the zigzag between jobs of very different
		// values. Of 0, 0.5 and 0.7 this had the best bound in seven of ten
		// states after 300 steps, by up to 7 %.
		for r, s := range room {
			slope[r] = s + 0.7*slope[r]
		}
		norm := 0.0
		for r, s := range slope {
			if d.lambda[r] > 0 || s < 0 {
				norm += s * s
			}
		}
		if norm == 0 {
			break
		}
		length := factor * (d.bound - incumbent) / norm
		for r, s := range slope {
			d.lambda[r] = math.Max(0, d.lambda[r]-length*s)
		}
		d.estimate(m, sums)
		if d.bound < best.bound {
			if d.bound < best.bound-1e-4*(best.bound-incumbent) {
				since = 0
			}
			best.bound = d.bound
			copy(best.lambda, d.lambda)
		}
		if since++; since > stall {
			factor, since = factor/2, 0
			copy(d.lambda, best.lambda)
			d.estimate(m, sums)
		}
	}
	return newDual(m, best.lambda), step
}

// level raises multipliers that are all 0 to the best ones that price each row
// in proportion to its bound alike, which is the bound of one knapsack over the
// whole machine. A subgradient takes long to get there where values differ much.
func (d *dual) level(m *model, sums []float64) {
	if m.rows() == 0 || slices.ContainsFunc(d.lambda, func(l float64) bool { return l > 0 }) {
		return
	}
	unpriced := d.bound
	at := func(price float64) float64 {
		for r, b := range m.bound {
			d.lambda[r] = price / float64(max(1, b))
		}
		d.estimate(m, sums)
		return d.bound
	}
	// The bound is convex in the price, and above the highest the rows alone
	// are worth more than the bound without them. Golden section.
	const ratio, steps = 0.381966, 30
	low, high := 0.0, d.bound/float64(m.rows())
	a, b := low+ratio*(high-low), high-ratio*(high-low)
	atA, atB := at(a), at(b)
	for range steps {
		if atA < atB {
			high, b, atB = b, a, atA
			a = low + ratio*(high-low)
			atA = at(a)
		} else {
			low, a, atA = a, b, atB
			b = high - ratio*(high-low)
			atB = at(b)
		}
	}
	if at((low+high)/2) > unpriced {
		at(0)
	}
}

// room fills slope with what the chosen columns leave of each row, negative where
// they take more than there is.
func (m *model) room(chosen []int32, slope []float64) {
	clear(slope)
	for _, i := range chosen {
		if i == nowhere {
			continue
		}
		// Changes from row to row first, then their sums.
		for _, run := range m.stretches.vector(i) {
			slope[run.first] += float64(run.amount)
			if int(run.end) < len(slope) {
				slope[run.end] -= float64(run.amount)
			}
		}
	}
	taken := 0.0
	for r, change := range slope {
		taken += change
		slope[r] = float64(m.bound[r]) - taken
	}
}

// fix returns the columns that a selection better than incumbent may contain:
// the others would push the bound below it.
func (d *dual) fix(m *model, incumbent float64) []int32 {
	var open []int32
	for i := range int32(m.columns()) {
		top := 0.0
		if b := d.best[m.group[i]]; b != nowhere {
			top = d.reduced[b]
		}
		if d.bound-top+d.reduced[i] > incumbent {
			open = append(open, i)
		}
	}
	return open
}

// pad gives the rows that m has more than the dual the multiplier 0.
func (d *dual) pad(m *model) {
	d.lambda = append(d.lambda, make([]float64, m.rows()-len(d.lambda))...)
}

// near returns the columns that lack at most slack of being the best of their
// group, and of being worth anything.
func (d *dual) near(m *model, slack float64) []int32 {
	var columns []int32
	for i := range int32(m.columns()) {
		top := 0.0
		if b := d.best[m.group[i]]; b != nowhere {
			top = d.reduced[b]
		}
		if d.reduced[i] >= top-slack {
			columns = append(columns, i)
		}
	}
	return columns
}
