package backfill

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// place chooses nodes for a job by the free cores and GPUs of the nodes, and the
// cores on each by the placement rule.
func place(nodes []nodeset.Node, j auction.Job, licences []auction.Licence) (chosen, cores []int, ok bool) {
	for _, l := range j.Options.Licences {
		have := 0
		for _, f := range licences {
			if f.Name == l.Name {
				have += f.Count
			}
		}
		if have < l.Count {
			return nil, nil, false
		}
	}
	w := want{tasks: j.Cores, nodes: j.Nodes, perNode: j.CoresPerNode}
	if w.perNode > 0 && w.nodes == 0 {
		w.nodes = w.tasks / w.perNode
	}
	if w.tasks == 0 {
		w.tasks = w.nodes * w.perNode
	}
	usable := func(i int) bool {
		n, o := nodes[i], j.Options
		if o.Exclusive && (n.FreeCores < n.Cores || n.FreeGPUs < n.GPUs) || n.FreeMemory < o.MemoryPerNode+o.MemoryPerCore*max(1, w.perNode) {
			return false
		}
		return o.Admits(i, n)
	}
	blocks := nodeset.SetsWhere(nodes, max(1, w.perNode), j.GPUs, usable)
	if chosen = w.choose(nodes, blocks, j.Options.Required, j.Contiguous); chosen == nil {
		return nil, nil, false
	}
	free := make([]int, len(chosen))
	for i, n := range chosen {
		free[i] = nodes[n].FreeCores
	}
	if j.Options.Exclusive {
		return chosen, free, true
	}
	cores, err := auction.Place(free, auction.Request{Tasks: w.tasks, TasksPerNode: w.perNode})
	return chosen, cores, err == nil
}

// want is how many tasks on how many nodes; nodes and perNode are 0 if that does
// not matter.
type want struct{ tasks, nodes, perNode int }

// choose returns ascending nodes: from the shortest block that has enough, else
// from the blocks with the most cores, else, where a number of nodes is wanted,
// those with the most cores; nil if there are none. Required nodes come first.
func (w want) choose(all []nodeset.Node, blocks []nodeset.Set, required []int, contiguous bool) []int {
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(a, b nodeset.Set) int { return a.Len() - b.Len() })
	for _, b := range blocks {
		if nodes := w.within(all, b, required); nodes != nil {
			return nodes
		}
	}
	if contiguous {
		return nil
	}
	slices.SortStableFunc(blocks, func(a, b nodeset.Set) int { return b.Cores - a.Cores })
	var spread []int
	for _, b := range blocks {
		for n := b.First; n <= b.Last; n++ {
			spread = append(spread, n)
		}
	}
	for _, n := range required {
		if !slices.Contains(spread, n) {
			return nil
		}
	}
	front := func(n int) bool { return slices.Contains(required, n) }
	byFront := func(a, b int) int { return toInt(front(b)) - toInt(front(a)) }
	slices.SortStableFunc(spread, byFront)
	if nodes := w.take(all, spread, len(required)); nodes != nil {
		return nodes
	}
	slices.SortStableFunc(spread, func(a, b int) int {
		if d := byFront(a, b); d != 0 {
			return d
		}
		return all[b].FreeCores - all[a].FreeCores
	})
	return w.take(all, spread, len(required))
}

// within returns the first run of neighbours in a block that has enough, and all
// required nodes.
func (w want) within(all []nodeset.Node, b nodeset.Set, required []int) []int {
	run := make([]int, b.Len())
	for i := range run {
		run[i] = b.First + i
	}
	for ; len(run) > 0; run = run[1:] {
		nodes := w.take(all, run, 0)
		if nodes == nil && w.nodes == 0 {
			return nil
		}
		if nodes != nil && !slices.ContainsFunc(required, func(n int) bool { return !slices.Contains(nodes, n) }) {
			return nodes
		}
	}
	return nil
}

// take returns the shortest beginning of a list that has enough and at least so
// many nodes, ascending, or nil. No node is taken without a task.
func (w want) take(all []nodeset.Node, list []int, least int) []int {
	cores := 0
	for i, n := range list[:min(len(list), w.tasks)] {
		k := i + 1
		if w.nodes > 0 && k > w.nodes {
			break
		}
		if cores += all[n].FreeCores; cores >= w.tasks && k >= max(least, w.nodes) {
			nodes := slices.Clone(list[:k])
			slices.Sort(nodes)
			return nodes
		}
	}
	return nil
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
