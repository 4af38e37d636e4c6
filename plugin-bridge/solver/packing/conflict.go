package packing

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// bitset is a set of columns.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int32)   { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int32) { b[i>>6] &^= 1 << (i & 63) }

func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 == 1 }

func (b bitset) or(c bitset) {
	for w := range b {
		b[w] |= c[w]
	}
}

// conflicts has for each column the set of the columns that cannot be selected together with it: the columns of its
// group, and columns that with it exceed the bound of a constraint.
type conflicts []bitset

func newConflicts(m *model) conflicts {
	n := m.columns()
	g := make(conflicts, n)
	words := newBitset(n)
	all := make(bitset, n*len(words))
	for i := range g {
		g[i] = all[i*len(words) : (i+1)*len(words) : (i+1)*len(words)]
	}
	for _, members := range m.members {
		clear(words)
		for _, i := range members {
			words.set(i)
		}
		for _, i := range members {
			g[i].or(words)
		}
	}
	begins := m.begins()
	// active are the columns of the row, by falling amount.
	type taker struct{ column, amount, end int32 }
	var active []taker
	for r, bound := range m.bound {
		active = slices.DeleteFunc(active, func(t taker) bool { return t.end == int32(r) })
		fresh := len(begins[r])
		for _, b := range begins[r] {
			at, _ := slices.BinarySearchFunc(active, b, func(t taker, b beginning) int { return cmp.Compare(b.amount, t.amount) })
			active = slices.Insert(active, at, taker{b.column, b.amount, b.end})
		}
		if fresh <= len(words) && r > 0 && bound >= m.bound[r-1] {
			// The bound is no smaller than the bound of the constraint before, so only columns that begin in this
			// constraint bring new conflicts.
			for _, b := range begins[r] {
				for _, t := range active {
					if t.amount+b.amount <= bound {
						break
					}
					g[t.column].set(b.column)
					g[b.column].set(t.column)
				}
			}
			continue
		}
		// words is the set of columns that exceed the bound together with column k
		// of active. The columns are visited by growing amounts, so that the set
		// only grows.
		clear(words)
		large := 0
		for k := len(active) - 1; k >= 0; k-- {
			for large < len(active) && active[large].amount+active[k].amount > bound {
				words.set(active[large].column)
				large++
			}
			if large > 0 {
				g[active[k].column].or(words)
			}
		}
	}
	for i := range g {
		g[i].clear(int32(i))
	}
	return g
}

// beginning is a stretch of a column.
type beginning struct{ column, end, amount int32 }

// begins returns the stretches that begin at each row.
func (m *model) begins() [][]beginning {
	all := make([][]beginning, m.rows())
	for i := range int32(m.columns()) {
		for _, run := range m.stretches.vector(i) {
			all[run.first] = append(all[run.first], beginning{i, run.end, run.amount})
		}
	}
	return all
}

// cliqueCuts returns rows "at most one of these columns" that x violates, the most of
// them that it violates furthest. Each is grown greedily from a column of positive
// value, among columns that are all in conflict with each other, and then extended by
// columns of value 0.
func (g conflicts) cliqueCuts(x []float64, most int) []auction.Constraint {
	const violation = 1e-2
	var support []int32
	for i, v := range x {
		if v > 1e-6 {
			support = append(support, int32(i))
		}
	}
	slices.SortFunc(support, func(a, b int32) int { return cmp.Or(cmp.Compare(x[b], x[a]), cmp.Compare(a, b)) })
	covered := newBitset(len(x))
	type cut struct {
		members []int32
		excess  float64
	}
	var cuts []cut
	for _, first := range support {
		if covered.has(first) && x[first] < 0.5 {
			continue
		}
		members := []int32{first}
		sum := x[first]
		for _, i := range support {
			if i == first || !g[first].has(i) || !g.all(members, i) {
				continue
			}
			members = append(members, i)
			sum += x[i]
		}
		if sum <= 1+violation {
			continue
		}
		for _, i := range members {
			covered.set(i)
		}
		cuts = append(cuts, cut{members, sum - 1})
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.excess, a.excess) })
	var rows []auction.Constraint
	seen := make(map[string]bool)
	for _, c := range cuts[:min(most, len(cuts))] {
		row := g.cliqueRow(c.members)
		if key := fmt.Sprint(row.Columns); !seen[key] {
			seen[key] = true
			rows = append(rows, row)
		}
	}
	return rows
}

func (g conflicts) all(members []int32, i int32) bool {
	for _, k := range members {
		if !g[k].has(i) {
			return false
		}
	}
	return true
}

// cliqueRow writes the row of a clique, extended until no other column is in conflict
// with all its members.
func (g conflicts) cliqueRow(members []int32) auction.Constraint {
	common := slices.Clone(g[members[0]])
	for _, k := range members[1:] {
		for w := range common {
			common[w] &= g[k][w]
		}
	}
	for w := 0; w < len(common); {
		if common[w] == 0 {
			w++
			continue
		}
		i := int32(w<<6 + bits.TrailingZeros64(common[w]))
		members = append(members, i)
		for v := range common {
			common[v] &= g[i][v]
		}
	}
	slices.Sort(members)
	row := auction.Constraint{Kind: auction.CutRow, Bound: 1, Coefficients: slices.Repeat([]int{1}, len(members))}
	for _, i := range members {
		row.Columns = append(row.Columns, int(i))
	}
	return row
}

// divisionCuts returns the Chvatal-Gomory cuts sum floor(a_i/k) b_i <= floor(bound/k), for k from 2 to the largest
// a_i, that x violates. It takes the best k of each constraint, and of these the most that x violates furthest. It
// ends where the work, one step for each term and k, does not suffice.
func divisionCuts(rows []auction.Constraint, x []float64, most int, work *budget) []auction.Constraint {
	const violation = 1e-2
	type cut struct {
		row, k int
		excess float64
	}
	var cuts []cut
	for r, row := range rows {
		best := cut{excess: violation}
		for k, last := 2, slices.Max(row.Coefficients); k <= last && work.spend(len(row.Columns)); k++ {
			sum := -float64(row.Bound / k)
			for t, i := range row.Columns {
				sum += float64(row.Coefficients[t]/k) * x[i]
			}
			if sum > best.excess {
				best = cut{r, k, sum}
			}
		}
		if best.k > 0 {
			cuts = append(cuts, best)
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Compare(b.excess, a.excess) })
	var out []auction.Constraint
	for _, c := range cuts[:min(most, len(cuts))] {
		row := auction.Constraint{Kind: auction.CutRow, Bound: rows[c.row].Bound / c.k}
		for t, i := range rows[c.row].Columns {
			if a := rows[c.row].Coefficients[t] / c.k; a > 0 {
				row.Columns = append(row.Columns, i)
				row.Coefficients = append(row.Coefficients, a)
			}
		}
		out = append(out, row)
	}
	return out
}
