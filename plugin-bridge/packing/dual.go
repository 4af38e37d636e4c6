package packing

import "math"

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
	copy(d.reduced, m.value)
	d.bound = 0
	for r, l := range d.lambda {
		if l == 0 {
			continue
		}
		d.bound += l * float64(m.bound[r])
		at, amount := m.byRow.of(int32(r))
		for t, i := range at {
			d.reduced[i] -= l * float64(amount[t])
		}
	}
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
	best := &dual{lambda: append([]float64(nil), lambda...), bound: d.bound}
	slope := make([]float64, m.rows())
	factor, since, step := 1.0, 0, 0
	for ; step < steps && factor > least && best.bound > incumbent && !stop(); step++ {
		for r, b := range m.bound {
			slope[r] = float64(b)
		}
		for _, i := range d.best {
			if i == nowhere {
				continue
			}
			rows, amounts := m.byColumn.of(i)
			for t, r := range rows {
				slope[r] -= float64(amounts[t])
			}
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
		d.evaluate(m)
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
			d.evaluate(m)
		}
	}
	return newDual(m, best.lambda), step
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
