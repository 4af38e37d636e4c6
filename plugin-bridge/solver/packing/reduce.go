package packing

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// reduce returns a program with the same feasible selections and a tighter relaxation. Columns that do not fit alone
// leave, constraints are tightened, and constraints that cannot bind or follow from another one leave. Tightening
// ends when stop says so.
func (q subproblem) reduce(stop func() bool) subproblem {
	work := budget{left: tightenWork, stop: stop}
	q = q.restrict(q.model().fitting())
	group := q.groupOf()
	most := make([]int, len(q.groups))
	rows := make([]auction.Constraint, 0, len(q.rows))
	for _, row := range q.rows {
		row.Coefficients = slices.Clone(row.Coefficients)
		tighten(&row, &work)
		if binds(row, group, most) {
			rows = append(rows, row)
		}
	}
	q.rows = dominant(rows, len(q.objective))
	return q
}

// tighten divides a constraint by the common divisor of its coefficients and lowers the bound to the largest sum that
// the coefficients can reach. It lifts the coefficient of a column that leaves no room for any other to the bound.
// All three keep the selections. Where the work does not suffice for the second, the bound stays. No coefficient is
// above the bound, since each column fits alone.
func tighten(row *auction.Constraint, work *budget) {
	divisor := 0
	for _, a := range row.Coefficients {
		if divisor = gcd(a, divisor); divisor == 1 {
			break
		}
	}
	row.Bound /= divisor
	least, next := row.Bound+1, row.Bound+1
	for t := range row.Coefficients {
		row.Coefficients[t] /= divisor
		switch a := row.Coefficients[t]; {
		case a < least:
			least, next = a, least
		case a < next:
			next = a
		}
	}
	row.Bound = reachable(*row, work)
	for t, a := range row.Coefficients {
		other := least
		if a == least {
			other = next
		}
		if a+other > row.Bound {
			row.Coefficients[t] = row.Bound
		}
	}
}

// reachable returns the largest sum of coefficients up to the bound, each taken any number of times, though each
// column can be selected once only. The result may be too large, never too small. It is the bound itself if the work,
// one step for each sum and different coefficient, does not suffice.
func reachable(row auction.Constraint, work *budget) int {
	if !work.spend(row.Bound) {
		return row.Bound
	}
	reach, present := make([]bool, row.Bound+1), make([]bool, row.Bound+1)
	reach[0] = true
	for _, a := range row.Coefficients {
		present[a] = true
	}
	for a := 1; a <= row.Bound; a++ {
		if !present[a] {
			continue
		}
		if !work.spend(row.Bound) {
			return row.Bound
		}
		for sum := a; sum <= row.Bound; sum++ {
			reach[sum] = reach[sum] || reach[sum-a]
		}
	}
	most := row.Bound
	for !reach[most] {
		most--
	}
	return most
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// binds reports whether a selection with one column a group can violate the
// row. most is zero before and after, with an entry for each group.
func binds(row auction.Constraint, group, most []int) bool {
	sum := 0
	for t, i := range row.Columns {
		if more := row.Coefficients[t] - most[group[i]]; more > 0 {
			most[group[i]] += more
			sum += more
		}
	}
	for _, i := range row.Columns {
		most[group[i]] = 0
	}
	return sum > row.Bound
}

// dominant leaves out rows that follow from another row: one that has all columns of
// the first with, relative to its bound, coefficients at least as large. Example:
// 2a+2b+c <= 4 implies a+b <= 2.
func dominant(rows []auction.Constraint, columns int) []auction.Constraint {
	order := make([]int, len(rows))
	for r := range order {
		order[r] = r
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(rows[b].Columns), len(rows[a].Columns)), cmp.Compare(a, b))
	})
	// with lists the kept rows of each column. A row follows only from a row that is
	// not shorter, and that was looked at before.
	with := make([][]int, columns)
	var kept []int
	for _, r := range order {
		rarest := rows[r].Columns[0]
		for _, i := range rows[r].Columns {
			if len(with[i]) < len(with[rarest]) {
				rarest = i
			}
		}
		by := slices.IndexFunc(with[rarest], func(s int) bool { return dominates(rows[s], rows[r]) })
		if by >= 0 {
			// A cut that implies a row of the problem takes its place, and must
			// not be left out later as a cut.
			if s := with[rarest][by]; isCut(rows[s]) {
				rows[s].Kind, rows[s].Job, rows[s].Of = rows[r].Kind, rows[r].Job, rows[r].Of
			}
			continue
		}
		kept = append(kept, r)
		for _, i := range rows[r].Columns {
			with[i] = append(with[i], r)
		}
	}
	slices.Sort(kept)
	out := make([]auction.Constraint, len(kept))
	for at, r := range kept {
		out[at] = rows[r]
	}
	return out
}

func dominates(big, small auction.Constraint) bool {
	t := 0
	for k, i := range small.Columns {
		for t < len(big.Columns) && big.Columns[t] < i {
			t++
		}
		if t == len(big.Columns) || big.Columns[t] != i || big.Coefficients[t]*small.Bound < small.Coefficients[k]*big.Bound {
			return false
		}
	}
	return true
}
