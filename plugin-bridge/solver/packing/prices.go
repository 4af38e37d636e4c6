package packing

import "github.com/slurmlab/slurmlab/plugin-bridge/auction"

// Prices are multipliers of the rows of a problem: what one core of a node, say, would
// be worth if bids could be split. They approximate the dual solution of the linear
// relaxation. The nearer Bound is to the value of the best selection, the better they
// are.
type Prices struct {
	// Rows has a price for each row; 0 for rows that only say that a job wins once.
	Rows []float64
	// Reduced has, for each column, its objective less the prices of what it uses and less what its job could keep
	// with its best column. It is 0 for that column, if it is worth its prices, and negative for all others.
	Reduced []float64
	// Bound is proven: no selection is worth more.
	Bound float64
}

// priceWork bounds the terms that NewPrices touches, to about a second's worth.
const priceWork = 300_000_000

// NewPrices improves the prices by subgradient steps, for a selection of the given
// value.
func NewPrices(p auction.Problem, value float64) Prices {
	q := newSubproblem(p)
	m := q.model()
	steps := min(2000, priceWork/max(1, q.terms()))
	d, _ := subgradient(m, make([]float64, m.rows()), value, steps, func() bool { return false })
	prices := Prices{Rows: make([]float64, len(p.Rows)), Reduced: d.reduced, Bound: d.bound}
	// newSubproblem keeps the rows that restrict the groups, in their order.
	next, group := 0, q.groupOf()
	for r, row := range p.Rows {
		if restricts(row, group) {
			prices.Rows[r] = d.lambda[next]
			next++
		}
	}
	for g, members := range m.members {
		kept := 0.0
		if b := d.best[g]; b != nowhere {
			kept = d.reduced[b]
		}
		for _, i := range members {
			prices.Reduced[i] -= kept
		}
	}
	return prices
}
