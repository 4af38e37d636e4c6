package papers

import (
	"context"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// cuts is AUCSCHED's program without u and r, as a packing program of its bids b alone. A bid takes of any set of nodes
// at least what does not fit on its other nodes, and a core of each of its own. So the bids that win take of each set at
// most its free cores, which is a row of a packing program. By the theorem of maximum flow and minimum cut, bids that
// hold all these rows, and (6), have some u and r. Rows of single nodes and of the whole machine are there from the
// beginning; a row of another set is added when a selection violates it.
type cuts struct {
	snapshot auction.Snapshot
	bids     []bidding.Bid
	problem  auction.Problem
}

func newCuts(s auction.Snapshot, bids []bidding.Bid) *cuts {
	c := &cuts{snapshot: s, bids: bids}
	p, alpha := s.Priorities(), auction.Alpha(len(bids))
	perJob := make([][]int, len(s.Jobs))
	for i, b := range bids {
		c.problem.Objective = append(c.problem.Objective, p[b.Job]+alpha*b.Preference)
		perJob[b.Job] = append(perJob[b.Job], i)
	}
	for j, columns := range perJob {
		if len(columns) > 0 {
			c.problem.Rows = append(c.problem.Rows, auction.Constraint{
				Kind: auction.JobRow, Job: s.Jobs[j].ID, Columns: columns, Coefficients: slices.Repeat([]int{1}, len(columns)), Bound: 1,
			})
		}
	}
	cores, gpus := make([]auction.Constraint, len(s.Nodes)), make([]auction.Constraint, len(s.Nodes))
	whole := make([]bool, len(s.Nodes))
	for n, node := range s.Nodes {
		whole[n] = true
		cores[n] = auction.Constraint{Kind: auction.CoresRow, Of: node.Name, Bound: node.FreeCores}
		gpus[n] = auction.Constraint{Kind: auction.GPUsRow, Of: node.Name, Bound: node.FreeGPUs}
	}
	for i, b := range bids {
		free := 0
		for _, n := range b.Nodes {
			free += s.Nodes[n].FreeCores
		}
		for _, n := range b.Nodes {
			cores[n].Columns = append(cores[n].Columns, i)
			cores[n].Coefficients = append(cores[n].Coefficients, c.least(b, 1, free-s.Nodes[n].FreeCores))
			if want := s.Jobs[b.Job].GPUs; want > 0 {
				gpus[n].Columns, gpus[n].Coefficients = append(gpus[n].Columns, i), append(gpus[n].Coefficients, want)
			}
		}
	}
	for n := range s.Nodes {
		c.keep(cores[n])
		c.keep(gpus[n])
	}
	c.add(whole)
	return c
}

// add adds the row of a set of nodes.
func (c *cuts) add(set []bool) {
	row := auction.Constraint{Kind: auction.CoresRow}
	for n, in := range set {
		if in {
			row.Bound += c.snapshot.Nodes[n].FreeCores
			row.Of = c.snapshot.Nodes[n].Name
		}
	}
	for i, b := range c.bids {
		inside, outside := 0, 0
		for _, n := range b.Nodes {
			if set[n] {
				inside++
			} else {
				outside += c.snapshot.Nodes[n].FreeCores
			}
		}
		if inside > 0 {
			row.Columns, row.Coefficients = append(row.Columns, i), append(row.Coefficients, c.least(b, inside, outside))
		}
	}
	c.keep(row)
}

// keep adds a row that some bids, one of each job, could violate.
func (c *cuts) keep(row auction.Constraint) {
	most := make(map[int]int)
	for t, i := range row.Columns {
		most[c.bids[i].Job] = max(most[c.bids[i].Job], row.Coefficients[t])
	}
	sum := 0
	for _, m := range most {
		sum += m
	}
	if sum > row.Bound {
		c.problem.Rows = append(c.problem.Rows, row)
	}
}

// least is what a bid takes at least of a set of nodes with so many of its own inside, if the others have so many free
// cores outside.
func (c *cuts) least(b bidding.Bid, inside, outside int) int {
	if perNode := c.snapshot.Jobs[b.Job].CoresPerNode; perNode > 0 {
		return inside * perNode
	}
	return max(inside, b.Request().Tasks-outside)
}

// split returns cores of the selected bids' nodes, and the sets of nodes whose rows the selection violates: where there are any, it
// has no such cores.
func (c *cuts) split(selected []int) (cores [][]int, violated [][]bool) {
	left, need := make([]int, len(c.snapshot.Nodes)), make([]int, len(selected))
	for n, node := range c.snapshot.Nodes {
		left[n] = node.FreeCores
	}
	cores = make([][]int, len(selected))
	on := make([][]int, len(c.snapshot.Nodes))
	for k, i := range selected {
		b := c.bids[i]
		each := max(1, c.snapshot.Jobs[b.Job].CoresPerNode)
		need[k] = b.Request().Tasks - each*len(b.Nodes)
		cores[k] = slices.Repeat([]int{each}, len(b.Nodes))
		for _, n := range b.Nodes {
			left[n] -= each
			if c.snapshot.Jobs[b.Job].CoresPerNode == 0 {
				on[n] = append(on[n], k)
			}
		}
	}
	for k := range selected {
		for need[k] > 0 {
			seen, moved := c.augment(selected, cores, left, on, k, need[k])
			if moved == 0 {
				if !slices.ContainsFunc(violated, func(set []bool) bool { return slices.Equal(set, seen) }) {
					violated = append(violated, seen)
				}
				break
			}
			need[k] -= moved
		}
	}
	return cores, violated
}

// augment finds more cores for bid k of a selection: on a node with cores left, which may come from a bid that gets
// others. Without any, seen are the nodes that bid k and the bids in its way can reach, whose row the selection violates.
func (c *cuts) augment(selected []int, cores [][]int, left []int, on [][]int, k, want int) (seen []bool, moved int) {
	type step struct{ bid, from int }
	by := make([]step, len(left)) // the bid that would take a core of the node, and the node that it would give one of
	seen = make([]bool, len(left))
	known := make([]bool, len(selected))
	known[k] = true
	queue := []int{}
	visit := func(bid, from int) {
		for _, n := range c.bids[selected[bid]].Nodes {
			if !seen[n] {
				seen[n], by[n] = true, step{bid, from}
				queue = append(queue, n)
			}
		}
	}
	visit(k, -1)
	for at := 0; at < len(queue); at++ {
		n := queue[at]
		if left[n] > 0 {
			// Along the way back each bid moves as many cores as all can.
			moved = min(want, left[n])
			for m := n; by[m].from >= 0; m = by[m].from {
				moved = min(moved, c.extra(selected, cores, by[m].bid, by[m].from))
			}
			left[n] -= moved
			for m := n; m >= 0; m = by[m].from {
				c.give(selected, cores, by[m].bid, m, moved)
				if by[m].from >= 0 {
					c.give(selected, cores, by[m].bid, by[m].from, -moved)
				}
			}
			return nil, moved
		}
		for _, other := range on[n] {
			if !known[other] && c.extra(selected, cores, other, n) > 0 {
				known[other] = true
				visit(other, n)
			}
		}
	}
	return seen, 0
}

// extra is how many cores a bid of a selection has on a node beside the first.
func (c *cuts) extra(selected []int, cores [][]int, bid, node int) int {
	at, _ := slices.BinarySearch(c.bids[selected[bid]].Nodes, node)
	return cores[bid][at] - 1
}

func (c *cuts) give(selected []int, cores [][]int, bid, node, more int) {
	at, _ := slices.BinarySearch(c.bids[selected[bid]].Nodes, node)
	cores[bid][at] += more
}

// solve adds rows until the solver's selection has cores. If it is optimal then, it is an optimum of AUCSCHED's program.
// Selections of quick, if it is not nil, violate most of these rows as well. It adds them before the solver proves anything, which
// takes a thousand times as long.
func (c *cuts) solve(ctx context.Context, by auction.Solver, quick Select) (direct, error) {
	for {
		if err := ctx.Err(); err != nil {
			return direct{}, err
		}
		if quick != nil {
			if _, fits := c.cut(quick(ctx, c.problem).Selected); !fits {
				continue
			}
		}
		a, err := by.Solve(ctx, c.problem)
		if err != nil {
			return direct{}, err
		}
		cores, fits := c.cut(a.Selected)
		if !fits {
			continue
		}
		d := direct{all: c.chosen(a.Selected, cores), selected: a.Selected, proven: a.Status == program.StatusOptimal}
		d.size = auction.Size{Bids: len(c.bids), Rows: len(c.problem.Rows), Columns: len(c.problem.Objective), NonZeros: c.problem.NonZeros()}
		return d, nil
	}
}

// cut returns cores of the selected bids' nodes, or adds the rows that the selection violates.
func (c *cuts) cut(selected []int) (cores [][]int, fits bool) {
	cores, violated := c.split(selected)
	for _, set := range violated {
		c.add(set)
	}
	return cores, len(violated) == 0
}

// chosen are the allocations of selected bids with these cores.
func (c *cuts) chosen(selected []int, cores [][]int) (all []chosenCores) {
	for k, i := range selected {
		b := c.bids[i]
		all = append(all, chosenCores{
			Job: b.Job, Class: bidding.ClassFree, Value: c.problem.Objective[i],
			Allocation: machine.Allocation{Nodes: b.Nodes, Cores: cores[k], GPUs: b.GPUs},
		})
	}
	return all
}
