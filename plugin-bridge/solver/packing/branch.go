package packing

import (
	"cmp"
	"math/bits"
	"slices"
)

// branching is a depth-first branch and bound over groups. At a node of the tree, a
// column is open if it still fits beside the chosen columns. No selection below the
// node is worth more than the lesser of
//
//	sum_r lambda_r bound_r + sum_{chosen} reduced + sum_{open g} max(0, max reduced)
//	sum_{chosen} value + sum_{open g} max value
//
// The first is the Lagrangean bound with the multipliers of the root. The second
// ignores all rows but those that make two columns exclude each other. It is the better
// one where jobs need a large part of what is free, so that few columns stay open.
type branching struct {
	m     *model
	graph conflicts
	// columns of m are in the order of their groups and, inside, of falling
	// reduced value.
	reduced []float64
	slack   []int32
	// open is the set of open columns at each depth.
	open   []bitset
	chosen []int
	best   []int
	// worth is the value of best.
	worth float64
	work  int
	nodes int
	stop  func() bool
}

// margin keeps the rounding of sums from deciding between selections. It is far
// below the differences that preferences make.
const margin = 1e-9

// mostBranched is the number of columns above which branch does not even try.
const mostBranched = 2000

// branch looks for a selection of allowed columns better than best, which is worth worth. The constraints of m decide
// what is feasible; d may have cuts as well. branch returns the best selection, whether it has looked at all
// selections, and the work done in constraints and words of bitsets. It gives up after the given work, or when stop
// says so.
func branch(m *model, d *dual, best []int, worth float64, allowed []int32, work int, stop func() bool) ([]int, bool, int) {
	if len(allowed) > mostBranched {
		return best, false, 0
	}
	order := slices.Clone(allowed)
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.group[a], m.group[b]), cmp.Compare(d.reduced[b], d.reduced[a]), cmp.Compare(a, b))
	})
	n, _ := m.narrow(order, nil)
	b := branching{m: n, graph: newConflicts(n), slack: slices.Clone(n.bound), worth: worth, work: work, stop: stop}
	first := newBitset(len(order))
	for k, i := range order {
		b.reduced = append(b.reduced, d.reduced[i])
		first.set(int32(k))
	}
	b.open = append(b.open, first)
	constant := d.bound
	for _, i := range d.best {
		if i != nowhere {
			constant -= d.reduced[i]
		}
	}
	done := b.visit(0, constant, 0)
	if b.best == nil {
		return best, done, work - b.work
	}
	for at, k := range b.best {
		b.best[at] = int(order[k])
	}
	slices.Sort(b.best)
	return b.best, done, work - b.work
}

// visit explores the tree below a node. base is the part of the first bound that the
// rows and the chosen columns contribute, value the value of these columns.
func (b *branching) visit(depth int, base, value float64) bool {
	if value > b.worth+margin {
		b.best, b.worth = slices.Clone(b.chosen), value
	}
	open := b.open[depth]
	for {
		// stop reads a clock, which takes longer than a node.
		if b.nodes++; b.work < 0 || b.nodes%256 == 0 && b.stop() {
			return false
		}
		priced, plain, next := b.bounds(open, base, value)
		if next.end == 0 || min(priced, plain) <= b.worth+margin {
			return true
		}
		for i := next.first; i < next.end; i++ {
			if priced-next.gain+b.reduced[i] <= b.worth+margin {
				break
			}
			if !open.has(i) || plain-next.value+b.m.value[i] <= b.worth+margin {
				continue
			}
			b.choose(depth, i)
			done := b.visit(depth+1, base+b.reduced[i], value+b.m.value[i])
			b.chosen = b.chosen[:len(b.chosen)-1]
			b.m.take(i, b.slack, -1)
			if !done {
				return false
			}
		}
		for i := next.first; i < next.end; i++ {
			open.clear(i)
		}
	}
}

// option is a group at a node. Its open columns are among those from first up to end,
// without end; gain is the largest reduced value of them, value the largest value.
type option struct {
	first, end  int32
	gain, value float64
}

// bounds returns both bounds of a node and the group of the largest gain.
func (b *branching) bounds(open bitset, base, value float64) (priced, plain float64, next option) {
	priced, plain = base, value
	var o option
	group := int32(nowhere)
	settle := func() {
		priced += o.gain
		plain += o.value
		if o.end > 0 && (next.end == 0 || o.gain > next.gain || o.gain == next.gain && o.value > next.value) {
			next = o
		}
	}
	for w, word := range open {
		b.work--
		for ; word != 0; word &= word - 1 {
			b.work--
			i := int32(w<<6 + bits.TrailingZeros64(word))
			if b.m.group[i] != group {
				settle()
				group, o = b.m.group[i], option{first: i, gain: max(0, b.reduced[i])}
			}
			o.end, o.value = i+1, max(o.value, b.m.value[i])
		}
	}
	settle()
	return priced, plain, next
}

// choose takes column i, and opens one level deeper the columns that still fit beside
// it.
func (b *branching) choose(depth int, i int32) {
	b.chosen = append(b.chosen, int(i))
	b.m.take(i, b.slack, 1)
	if depth+1 == len(b.open) {
		b.open = append(b.open, newBitset(b.m.columns()))
	}
	open := b.open[depth+1]
	for w, word := range b.open[depth] {
		word &^= b.graph[i][w]
		for rest := word; rest != 0; rest &= rest - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(rest))
			b.work -= len(b.m.stretches.vector(k)) + 4
			if b.m.blocker(k, b.slack) != nowhere {
				word &^= 1 << (k & 63)
			}
		}
		open[w] = word
	}
	open.clear(i)
	b.work -= b.m.stretches.length(i)
}
