package backfill

import (
	"math/bits"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// want is the request of a job. nodes is 0 if any number of nodes will do. perNode is 0 if the job does not say how
// many cores it takes from each.
type want struct {
	tasks, nodes, perNode, gpus int
	contiguous                  bool
	options                     bidding.JobOptions
	// plain says that the options leave all nodes open and ask for none.
	plain bool
}

// wanted returns the request of a job that Slurm would see: of a range of GPUs the
// fewest, and none of the alternatives, since Slurm knows neither ranges nor
// alternatives.
func wanted(j bidding.Job) *want {
	w := &want{
		tasks: j.Tasks(), nodes: j.Nodes, perNode: j.CoresPerNode, gpus: j.GPUs,
		contiguous: j.Contiguous, options: j.Options,
	}
	if len(w.options.Required) > 1 {
		w.options.Required = slices.Compact(slices.Sorted(slices.Values(w.options.Required)))
	}
	if w.perNode > 0 && w.nodes == 0 {
		w.nodes = w.tasks / w.perNode
	}
	w.plain = w.options.Key() == "" && len(w.options.Required) == 0
	return w
}

// suffice reports whether choose would find nodes. Where any nodes with enough cores will
// do, it counts them only: whole queues are played with this.
func (w *want) suffice(nodes []machine.Node, open nodeMask) bool {
	if !w.plain || w.contiguous || w.nodes > 0 && (w.perNode == 0 || w.nodes*w.perNode < w.tasks) {
		return w.choose(nodes, open) != nil
	}
	cores, count := 0, 0
	for word, set := range open {
		for ; set != 0; set &= set - 1 {
			n := &nodes[64*word+bits.TrailingZeros64(set)]
			if n.FreeCores < max(1, w.perNode) || n.FreeGPUs < w.gpus {
				continue
			}
			if w.perNode > 0 {
				cores += w.perNode
			} else {
				cores += n.FreeCores
			}
			if count++; cores >= w.tasks && count >= w.nodes {
				return true
			}
		}
	}
	return false
}

// usable is how many cores of a node the job can use, 0 for none.
func (w *want) usable(i int, n *machine.Node) int {
	o := &w.options
	switch {
	case n.FreeCores < max(1, w.perNode) || n.FreeGPUs < w.gpus || !w.plain && !o.Admits(i, *n),
		o.Exclusive && !n.WhollyFree(),
		n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*max(1, w.perNode):
		return 0
	case w.perNode > 0:
		return w.perNode
	}
	return n.Usable(o.MemoryPerCore)
}

// block is a row of neighbouring nodes that the job can use, with the number of
// cores that it can use on all of them.
type block struct{ first, nodes, cores int }

// choose is the selection of select/cons_tres without topology (_eval_nodes of src/plugins/select/cons_tres). It
// takes required nodes first, then the block with the fewest cores that suffices. Else, unless the job is contiguous,
// it takes the largest block as a whole, and so on. Where one more node can do, it takes the node of the block with
// the fewest cores that suffice. It returns the nodes, ascending, or nil if the open ones do not suffice.
func (w *want) choose(nodes []machine.Node, open nodeMask) []int {
	usable := make([]int, len(nodes))
	var blocks []block
	var all block
	for i := range nodes {
		if !open.has(i) {
			continue
		}
		c := w.usable(i, &nodes[i])
		if c == 0 {
			continue
		}
		usable[i] = c
		if last := len(blocks) - 1; last < 0 || blocks[last].first+blocks[last].nodes != i {
			blocks = append(blocks, block{first: i})
		}
		b := &blocks[len(blocks)-1]
		b.nodes++
		b.cores += c
		all.nodes++
		all.cores += c
	}
	if all.nodes < w.nodes || all.cores < w.tasks {
		return nil
	}
	if slices.ContainsFunc(w.options.Required, func(n int) bool { return usable[n] == 0 }) {
		return nil
	}
	if w.contiguous {
		return w.inOneBlock(blocks, usable)
	}
	chosen := w.take(w.order(blocks, usable), usable)
	if chosen == nil {
		// The first nodes of that order, as many as the job wants, have too few cores.
		// If any others of that number have enough, those with the most cores have.
		chosen = w.take(w.largest(usable), usable)
	}
	slices.Sort(chosen)
	return chosen
}

// order lists the nodes in the order in which they are taken.
func (w *want) order(blocks []block, usable []int) []int {
	order := slices.Clone(w.options.Required)
	tasks, count := w.tasks, w.nodes-len(order)
	for _, n := range order {
		tasks -= usable[n]
	}
	for len(blocks) > 0 && (tasks > 0 || count > 0) {
		best, enough := 0, false
		for i, b := range blocks {
			suffices := b.nodes >= count && b.cores >= tasks
			switch {
			case suffices && !enough,
				suffices && b.cores < blocks[best].cores,
				!suffices && !enough && b.cores > blocks[best].cores:
				best, enough = i, suffices
			}
		}
		b := blocks[best]
		blocks = slices.Delete(blocks, best, best+1)
		if n := b.single(usable, tasks); count <= 1 && n >= 0 && !slices.Contains(order, n) {
			return append(order, n)
		}
		for i := b.first; i < b.first+b.nodes; i++ {
			if !slices.Contains(w.options.Required, i) {
				order = append(order, i)
				count--
				tasks -= usable[i]
			}
		}
	}
	return order
}

// single is the node of the block with the fewest cores that suffice for the job's last
// node, the first one of several, or -1.
func (b block) single(usable []int, tasks int) int {
	best := -1
	for i := b.first; i < b.first+b.nodes; i++ {
		if usable[i] >= max(1, tasks) && (best < 0 || usable[i] < usable[best]) {
			best = i
		}
	}
	return best
}

// largest lists the required nodes and then those with the most cores.
func (w *want) largest(usable []int) []int {
	var rest []int
	for i, c := range usable {
		if c > 0 && !slices.Contains(w.options.Required, i) {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return usable[b] - usable[a] })
	return append(slices.Clone(w.options.Required), rest...)
}

// inOneBlock returns the first row of neighbours that suffices and has all
// required nodes, of the block with the fewest cores that has one.
func (w *want) inOneBlock(blocks []block, usable []int) []int {
	slices.SortStableFunc(blocks, func(a, b block) int { return a.cores - b.cores })
	for _, b := range blocks {
		if b.nodes < w.nodes || b.cores < w.tasks {
			continue
		}
		if n := b.single(usable, w.tasks); w.nodes <= 1 && len(w.options.Required) == 0 && n >= 0 {
			return []int{n}
		}
		row := make([]int, b.nodes)
		for i := range row {
			row[i] = b.first + i
		}
		for ; len(row) > 0; row = row[1:] {
			nodes := w.take(row, usable)
			if nodes == nil && w.nodes == 0 {
				break
			}
			missing := func(n int) bool { return !slices.Contains(nodes, n) }
			if nodes != nil && !slices.ContainsFunc(w.options.Required, missing) {
				return nodes
			}
		}
	}
	return nil
}

// take returns the first nodes of a list, as few as have enough cores for the job,
// or nil if all of them have too few. Required nodes must come first in the list.
// There are never more nodes than tasks, since each node gets a task at least.
func (w *want) take(list, usable []int) []int {
	cores := 0
	least := max(w.nodes, len(w.options.Required))
	for i, n := range list[:min(len(list), w.tasks)] {
		if w.nodes > 0 && i >= w.nodes {
			break
		}
		if cores += usable[n]; cores >= w.tasks && i+1 >= least {
			return slices.Clone(list[:i+1])
		}
	}
	return nil
}

// place chooses nodes and the cores on each, and reports whether the open nodes
// suffice.
func (w *want) place(nodes []machine.Node, open nodeMask) (a machine.Allocation, fits bool) {
	chosen := w.choose(nodes, open)
	if chosen == nil {
		return a, false
	}
	free := make([]int, len(chosen))
	for i, n := range chosen {
		free[i] = nodes[n].FreeCores
	}
	a = machine.Allocation{Nodes: chosen, Cores: free, GPUs: w.gpus}
	if w.options.Exclusive {
		return a, true
	}
	var err error
	a.Cores, err = machine.Place(free, machine.Request{Tasks: w.tasks, TasksPerNode: w.perNode})
	return a, err == nil
}
