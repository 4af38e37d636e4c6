package realise

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// exact asks for the wish's own cores.
func (b *board) exact(w Wish) (auction.Bid, bool) {
	return b.on(w, w.Nodes, func(cores []int, stable bool) bool { return stable && slices.Equal(cores, w.Cores) })
}

// elsewhereOnNodes asks for other cores on the wish's nodes.
func (b *board) elsewhereOnNodes(w Wish) (auction.Bid, bool) {
	return b.on(w, w.Nodes, func(_ []int, stable bool) bool { return stable })
}

// unstable asks for any cores on the wish's nodes, which are planned on what is
// free now.
func (b *board) unstable(w Wish) (auction.Bid, bool) {
	bid, ok := b.on(w, w.Nodes, func([]int, bool) bool { return true })
	bid.Class = auction.ClassR
	return bid, ok
}

// otherNodes asks for equal cores, or as equal as can be, on as many nodes
// elsewhere.
func (b *board) otherNodes(w Wish) (auction.Bid, bool) {
	if !w.Movable {
		return auction.Bid{}, false
	}
	k := len(w.Nodes)
	need := (w.tasks() + k - 1) / k
	open := slices.Clone(b.left)
	for n := range open {
		open[n].FreeCores, open[n].FreeGPUs = b.open(n)
	}
	nodes := choose(open, k, need, w.GPUs, b.snapshot.Jobs[w.Job].Contiguous)
	if nodes == nil {
		return auction.Bid{}, false
	}
	return b.on(w, nodes, func(_ []int, stable bool) bool { return stable })
}

// choose returns k nodes, ascending, with enough free: those with the least, or
// the beginning of the shortest block that holds all.
func choose(open []nodeset.Node, k, cores, gpus int, block bool) []int {
	sets := nodeset.Sets(open, cores, gpus)
	if block {
		var best *nodeset.Set
		for i, set := range sets {
			if set.Len() >= k && (best == nil || set.Len() < best.Len()) {
				best = &sets[i]
			}
		}
		if best == nil {
			return nil
		}
		sets = []nodeset.Set{{First: best.First, Last: best.First + k - 1}}
	}
	var nodes []int
	for _, set := range sets {
		for n := set.First; n <= set.Last; n++ {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) < k {
		return nil
	}
	slices.SortStableFunc(nodes, func(x, y int) int { return cmp.Compare(open[x].FreeCores, open[y].FreeCores) })
	nodes = nodes[:k]
	slices.Sort(nodes)
	return nodes
}

// on tries all requests that put the wish on exactly these nodes and returns the
// first whose layout takes nothing that is kept for others and is wanted.
func (b *board) on(w Wish, nodes []int, wanted func(cores []int, stable bool) bool) (auction.Bid, bool) {
	job := b.snapshot.Jobs[w.Job]
	if job.Contiguous && nodes[len(nodes)-1]-nodes[0] != len(nodes)-1 {
		return auction.Bid{}, false
	}
	free, total := make([]int, len(nodes)), make([]int, len(nodes))
	for i, n := range nodes {
		if b.left[n].FreeGPUs < w.GPUs {
			return auction.Bid{}, false
		}
		free[i] = b.left[n].FreeCores
		total[i] = b.snapshot.Nodes[n].Cores - b.firm[n]
	}
	for _, r := range requests(w.tasks(), len(nodes), job.CoresPerNode) {
		cores, err := auction.Place(free, r)
		if err != nil || !wanted(cores, auction.Stable(free, total, r)) {
			continue
		}
		fits := true
		for i, n := range nodes {
			openCores, openGPUs := b.open(n)
			fits = fits && cores[i] <= openCores && w.GPUs <= openGPUs
		}
		if fits {
			at := w
			at.Nodes, at.Cores = nodes, cores
			return bidOf(at, r), true
		}
	}
	return auction.Bid{}, false
}

// requests are the ways to ask for n tasks on k nodes: the most equal layout
// first, the fullest nodes last.
func requests(n, k, coresPerNode int) []auction.Request {
	if coresPerNode > 0 {
		return []auction.Request{{Tasks: n, TasksPerNode: coresPerNode}}
	}
	var all []auction.Request
	if n%k == 0 {
		all = append(all, auction.Request{Tasks: n, TasksPerNode: n / k})
	}
	for m := n / k; m >= 0; m-- {
		if m != 1 {
			// A minimum of 1 is Slurm's default, which 0 stands for.
			all = append(all, auction.Request{Tasks: n, MinCores: m})
		}
	}
	return all
}
