package packing

import (
	"cmp"
	"slices"
)

// branching is a depth-first branch and bound over groups. At a node with some
// groups decided, the multipliers of the root prove that no selection below it
// is worth more than
//
//	sum_r lambda_r bound_r + sum_{decided} reduced + sum_{open g} max(0, max reduced)
//
// where the last maximum is over the columns that still fit.
type branching struct {
	m     *model
	d     *dual
	slack []int32
	// options are the columns of each group, by falling reduced value.
	options [][]int32
	decided []bool
	chosen  []int
	value   float64
	best    []int
	// worth is the value of best.
	worth float64
	work  int
	stop  func() bool
}

// margin keeps the rounding of sums from deciding between selections. It is far
// below the differences that preferences make.
const margin = 1e-9

// branch looks for a selection of allowed columns better than best. It reports
// whether it has looked at all of them within work terms.
func branch(m *model, d *dual, best []int, worth float64, allowed []int32, work int, stop func() bool) ([]int, bool, int) {
	b := branching{
		m: m, d: d, slack: slices.Clone(m.bound), options: make([][]int32, len(m.members)),
		decided: make([]bool, len(m.members)), best: best, worth: worth, work: work, stop: stop,
	}
	for _, i := range allowed {
		g := m.group[i]
		b.options[g] = append(b.options[g], i)
	}
	for _, columns := range b.options {
		slices.SortFunc(columns, func(a, c int32) int {
			return cmp.Or(cmp.Compare(d.reduced[c], d.reduced[a]), cmp.Compare(a, c))
		})
	}
	constant := 0.0
	for r, l := range d.lambda {
		constant += l * float64(m.bound[r])
	}
	done := b.visit(constant)
	slices.Sort(b.best)
	return b.best, done, work - b.work
}

func (b *branching) fits(i int32) bool {
	b.work -= b.m.stretches.length(i) + 1
	return b.m.blocker(i, b.slack) == nowhere
}

// visit explores below a node whose decided part is worth base in the bound.
func (b *branching) visit(base float64) bool {
	if b.work < 0 || b.stop() {
		return false
	}
	if b.value > b.worth+margin {
		b.best, b.worth = slices.Clone(b.chosen), b.value
	}
	bound := base
	next, top := nowhere, 0.0
	for g, columns := range b.options {
		if b.decided[g] {
			continue
		}
		for _, i := range columns {
			if b.fits(i) {
				gain := max(0, b.d.reduced[i])
				bound += gain
				if next == nowhere || gain > top {
					next, top = g, gain
				}
				break
			}
		}
	}
	if next == nowhere || bound <= b.worth+margin {
		return true
	}
	b.decided[next] = true
	defer func() { b.decided[next] = false }()
	for _, i := range b.options[next] {
		if bound-top+b.d.reduced[i] <= b.worth+margin {
			break
		}
		if !b.fits(i) {
			continue
		}
		b.change(i, 1)
		b.chosen = append(b.chosen, int(i))
		done := b.visit(base + b.d.reduced[i])
		b.chosen = b.chosen[:len(b.chosen)-1]
		b.change(i, -1)
		if !done {
			return false
		}
	}
	return b.visit(base)
}

func (b *branching) change(i, sign int32) {
	b.m.take(i, b.slack, sign)
	b.value += float64(sign) * b.m.value[i]
	b.work -= b.m.stretches.length(i)
}
