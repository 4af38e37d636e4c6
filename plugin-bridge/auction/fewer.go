package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// onFewer moves winners to bids of theirs on fewer nodes which are worth as much and for which there is room. Such bids are
// left where the solver ended before the proof.
func onFewer(p Problem, bids []bidding.Bid, a Assignment) Assignment {
	rowsOf, left := p.room(a.Selected)
	// swap puts a bid in the place of another if there is room.
	swap := func(from, to int) bool {
		change := make(map[int]int)
		for _, t := range rowsOf[from] {
			change[t.row] -= t.coefficient
		}
		for _, t := range rowsOf[to] {
			change[t.row] += t.coefficient
		}
		for row, more := range change {
			if more > left[row] {
				return false
			}
		}
		for row, more := range change {
			left[row] -= more
		}
		return true
	}
	own := make(map[int][]int)
	for i, b := range bids {
		own[b.Job] = append(own[b.Job], i)
	}
	selected := slices.Clone(a.Selected)
	for moved := true; moved; {
		moved = false
		for at, i := range selected {
			for _, k := range own[bids[i].Job] {
				if len(bids[k].Nodes) < len(bids[selected[at]].Nodes) && p.Objective[k] >= p.Objective[selected[at]] && swap(selected[at], k) {
					selected[at], moved = k, true
				}
			}
		}
	}
	slices.Sort(selected)
	a.Selected, a.Objective = selected, p.Value(selected)
	return a
}

// entry is a term of a column.
type entry struct{ row, coefficient int }

// room returns the terms of each column, and what a selection leaves of each row.
func (p Problem) room(selected []int) (rowsOf [][]entry, left []int) {
	rowsOf, left = make([][]entry, len(p.Objective)), make([]int, len(p.Rows))
	for r, row := range p.Rows {
		left[r] = row.Bound
		for t, i := range row.Columns {
			rowsOf[i] = append(rowsOf[i], entry{r, row.Coefficients[t]})
		}
	}
	for _, i := range selected {
		for _, t := range rowsOf[i] {
			left[t.row] -= t.coefficient
		}
	}
	return rowsOf, left
}
