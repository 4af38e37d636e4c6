package packing

import (
	"cmp"
	"slices"
)

// dual is the Lagrangean relaxation of all rows of a model; the groups are kept. For
// any multipliers lambda >= 0,
//
//	bound = sum_r lambda_r bound_r + sum_g max(0, max_{i in g} reduced_i),
//	reduced_i = value_i - sum_r lambda_r a_ri
//
// is at least the value of every selection, whatever the multipliers come from. So the
// duals of a linear program prove its bound here, in our own arithmetic, and not just
// within the tolerances of the solver that found them.
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

// estimate does the same by prefix sums of lambda. It is much faster, but its rounding
// errors are larger: subgradient steps by it, and then proves the best bound by
// evaluate.
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
		best, top := int32(nowhere), 0.0
		for _, i := range members {
			if v := d.reduced[i]; v > top {
				top, best = v, i
			}
		}
		d.best[g] = best
		d.bound += top
	}
}

func newDual(m *model, lambda []float64) *dual {
	d := blankDual(m, lambda)
	d.evaluate(m)
	return d
}

func blankDual(m *model, lambda []float64) *dual {
	return &dual{lambda: lambda, reduced: make([]float64, m.columns()), best: make([]int32, len(m.members))}
}

// subgradient improves the bound from lambda for a number of steps, or until it meets
// incumbent, the value of some selection. The length of a step is Polyak's: the
// incumbent is the target, and a factor is halved whenever the bound has not improved
// for stall steps.
func subgradient(m *model, lambda []float64, incumbent float64, steps int, stop func() bool) (*dual, int) {
	const (
		stall = 12
		// With a smaller factor the steps change next to nothing.
		least = 1e-3
	)
	slope, room, sums := make([]float64, m.rows()), make([]float64, m.rows()), make([]float64, m.rows()+1)
	d := blankDual(m, slices.Clone(lambda))
	d.estimate(m, sums)
	d.level(m, sums)
	best := &dual{lambda: append([]float64(nil), d.lambda...), bound: d.bound}
	factor, since, step := 1.0, 0, 0
	for ; step < steps && factor > least && best.bound > incumbent && !stop(); step++ {
		m.room(d.best, room)
		// A part of the last direction is kept, since the steps would otherwise
		// zigzag between jobs of very different values. Of the parts 0, 0.5 and
		// 0.7 the last had the best bound after 300 steps in seven of ten recorded
		// states, by up to 7 %.
		norm := 0.0
		for r, s := range room {
			s += 0.7 * slope[r]
			slope[r] = s
			if d.lambda[r] > 0 || s < 0 {
				norm += s * s
			}
		}
		if norm == 0 {
			break
		}
		length := factor * (d.bound - incumbent) / norm
		for r, s := range slope {
			d.lambda[r] = max(0, d.lambda[r]-length*s)
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

// steps is the number of subgradient steps that a model is worth, at most so many. Where bids take other amounts from
// node to node, a step looks at a hundred times as many stretches.
func (m *model) steps(most int) int {
	const (
		least = 60
		work  = 2_000_000
	)
	return min(most, max(least, work/max(1, m.rows()+len(m.stretches.of))))
}

// level replaces multipliers that are all 0 by the best ones among those where each row
// costs the same in total, lambda_r bound_r = price: the machine as one large knapsack.
// Subgradient steps take long to get there where values differ much.
func (d *dual) level(m *model, sums []float64) {
	if m.rows() == 0 || slices.ContainsFunc(d.lambda, func(l float64) bool { return l > 0 }) {
		return
	}
	// unit is what each row costs at a price of 1, total what all bounds do, and load what each column does.
	unit, load, total := make([]float64, m.rows()), make([]float64, m.columns()), 0.0
	for r, b := range m.bound {
		unit[r] = 1 / float64(max(1, b))
		total += unit[r] * float64(b)
	}
	m.stretches.times(unit, sums, load)
	at := func(price float64) float64 {
		for i, v := range m.value {
			d.reduced[i] = v - price*load[i]
		}
		d.bound = price * total
		d.choose(m)
		return d.bound
	}
	// Golden section: the bound is convex in the price, and at the price high the
	// rows alone already cost as much as the bound without prices.
	const ratio, steps = 0.381966, 30
	unpriced := d.bound
	low, high := 0.0, unpriced/float64(m.rows())
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
	price := (low + high) / 2
	if at(price) > unpriced {
		price = 0
		at(price)
	}
	for r, u := range unit {
		d.lambda[r] = price * u
	}
}

// room fills slope with what the chosen columns leave of each row's bound, which is
// negative where they exceed it.
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

// fix returns the columns that a selection better than incumbent may contain. Any other
// column, taken in place of the best one of its group, leaves a bound of at most
// incumbent.
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

// pad appends the multiplier 0 for the constraints that m has beyond the dual's.
func (d *dual) pad(m *model) {
	d.lambda = append(d.lambda, make([]float64, m.rows()-len(d.lambda))...)
}

// near returns the columns whose reduced value is at most slack below both 0 and the
// best of their group.
func (d *dual) near(m *model, slack float64) []int32 {
	var columns []int32
	for i := range int32(m.columns()) {
		if d.distance(m, i) <= slack {
			columns = append(columns, i)
		}
	}
	return columns
}

// distance is how far the reduced value of a column is below 0 or the best of its group.
func (d *dual) distance(m *model, i int32) float64 {
	top := 0.0
	if b := d.best[m.group[i]]; b != nowhere {
		top = d.reduced[b]
	}
	return top - d.reduced[i]
}

// nearest returns at most so many of the columns, ascending, those of least distance.
func (d *dual) nearest(m *model, columns []int32, most int) []int32 {
	if len(columns) <= most {
		return columns
	}
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(i, j int32) int { return cmp.Compare(d.distance(m, i), d.distance(m, j)) })
	columns = columns[:most]
	slices.Sort(columns)
	return columns
}
