package papers

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// exact looks for a request by which Slurm gives the allocation its own cores.
func (b *board) exact(a chosenCores) (bidding.Bid, bool) {
	return b.on(a, a.Nodes, func(cores []int, stable bool) bool { return stable && slices.Equal(cores, a.Cores) })
}

// elsewhereOnNodes looks for a request by which Slurm gives the job other cores on the
// allocation's nodes.
func (b *board) elsewhereOnNodes(a chosenCores) (bidding.Bid, bool) {
	return b.on(a, a.Nodes, func(_ []int, stable bool) bool { return stable })
}

// unstable looks for a request by which Slurm gives the job any cores on the
// allocation's nodes, as long as no running job ends before the start.
func (b *board) unstable(a chosenCores) (bidding.Bid, bool) {
	bid, ok := b.on(a, a.Nodes, func([]int, bool) bool { return true })
	bid.Class = bidding.ClassR
	return bid, ok
}

// otherNodes looks for as many nodes elsewhere, on each of which as many cores are
// free as an equal share of the job's needs.
func (b *board) otherNodes(a chosenCores) (bidding.Bid, bool) {
	if !a.Movable {
		return bidding.Bid{}, false
	}
	k := len(a.Nodes)
	need := (a.TotalCores() + k - 1) / k
	open := slices.Clone(b.starts.Left())
	for n := range open {
		open[n].FreeCores, open[n].FreeGPUs = b.open(n)
	}
	nodes := choose(open, k, need, a.GPUs, b.snapshot.Jobs[a.Job].Contiguous)
	if nodes == nil {
		return bidding.Bid{}, false
	}
	return b.on(a, nodes, func(_ []int, stable bool) bool { return stable })
}

// choose returns k nodes, ascending, that each have so many cores and GPUs free. They are the nodes with the fewest
// free cores, or, for a block, the beginning of the shortest block of such nodes that is long enough. It returns nil
// if there are too few.
func choose(open []machine.Node, k, cores, gpus int, block bool) []int {
	sets := machine.Nodesets(open, cores, gpus)
	if block {
		var best *machine.Nodeset
		for i, set := range sets {
			if set.Len() >= k && (best == nil || set.Len() < best.Len()) {
				best = &sets[i]
			}
		}
		if best == nil {
			return nil
		}
		sets = []machine.Nodeset{{First: best.First, Last: best.First + k - 1}}
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

// on tries all requests for the job's tasks on exactly these nodes. It returns a bid by
// the first one whose layout is wanted and takes nothing that is kept for other
// allocations.
func (b *board) on(a chosenCores, nodes []int, wanted func(cores []int, stable bool) bool) (bidding.Bid, bool) {
	job := b.snapshot.Jobs[a.Job]
	if job.Contiguous && !machine.Contiguous(nodes) {
		return bidding.Bid{}, false
	}
	for _, r := range machine.Requests(a.TotalCores(), len(nodes), job.CoresPerNode) {
		cores, err := b.starts.Place(nodes, r)
		if err != nil || !wanted(cores, b.starts.Stable(nodes, r)) {
			continue
		}
		fits := true
		for i, n := range nodes {
			openCores, openGPUs := b.open(n)
			fits = fits && cores[i] <= openCores && a.GPUs <= openGPUs
		}
		if fits {
			at := a
			at.Nodes, at.Cores = nodes, cores
			return bidOf(at, r), true
		}
	}
	return bidding.Bid{}, false
}
