package realise

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Wish is a job that a program starts.
type Wish struct {
	formulation.Allocation
	// Movable says that as many other nodes would be worth the same.
	Movable bool
	// Class is that of the resulting bid, unless that is of class R.
	Class auction.Class
}

// tasks is the number of cores over all nodes.
func (w Wish) tasks() int {
	n := 0
	for _, c := range w.Cores {
		n += c
	}
	return n
}

// Result is what Slurm is to be asked for.
type Result struct {
	// Ordered are to be started in exactly this order.
	Ordered []auction.Bid
	// Deferred are the jobs left for a later cycle.
	Deferred []auction.Deferral
	// Rearranged counts the bids of Ordered whose nodes or cores are not those
	// of their wish.
	Rearranged int
}

// Realise finds bids for wishes that together oversell no node of the snapshot.
// It keeps to the nodes of the wishes, or, where that defers a job and wishes
// are movable, gives the hardest jobs the first choice of nodes; of both it takes
// what starts more, by priority.
func Realise(s auction.Snapshot, wishes []Wish) Result {
	kept := newBoard(s, wishes, true).play(wishes)
	if len(kept.Deferred) == 0 || !slices.ContainsFunc(wishes, func(w Wish) bool { return w.Movable }) {
		return kept
	}
	hardest := slices.Clone(wishes)
	slices.SortStableFunc(hardest, func(a, b Wish) int {
		blockA, blockB := s.Jobs[a.Job].Contiguous, s.Jobs[b.Job].Contiguous
		switch {
		case blockA != blockB && blockA:
			return -1
		case blockA != blockB:
			return 1
		}
		return cmp.Compare(len(b.Nodes), len(a.Nodes))
	})
	moved := newBoard(s, wishes, false).play(hardest)
	priorities := s.Priorities()
	if value(moved, priorities) > value(kept, priorities) {
		return moved
	}
	return kept
}

// value is the sum of the priorities of the jobs that start.
func value(r Result, priorities []float64) float64 {
	v := 0.0
	for _, b := range r.Ordered {
		v += priorities[b.Job]
	}
	return v
}

// board is what the bids so far leave of the snapshot.
type board struct {
	snapshot auction.Snapshot
	left     []nodeset.Node
	// cores and gpus of each node are kept for wishes not placed yet; 0 if
	// nothing is reserved.
	cores, gpus []int
	reserves    bool
	// firm are the cores of each node that bids have taken which are sure to
	// start; those of class R may be held back at the last moment.
	firm   []int
	result Result
}

func newBoard(s auction.Snapshot, wishes []Wish, reserves bool) *board {
	b := &board{
		snapshot: s, left: slices.Clone(s.Nodes), reserves: reserves,
		cores: make([]int, len(s.Nodes)), gpus: make([]int, len(s.Nodes)), firm: make([]int, len(s.Nodes)),
	}
	for _, w := range wishes {
		b.reserve(w, 1)
	}
	return b
}

// reserve keeps what a wish wants, or with sign -1 gives it up.
func (b *board) reserve(w Wish, sign int) {
	if !b.reserves {
		return
	}
	for i, n := range w.Nodes {
		b.cores[n] += sign * w.Cores[i]
		b.gpus[n] += sign * w.GPUs
	}
}

// open is what is neither taken on a node nor kept for others.
func (b *board) open(n int) (cores, gpus int) {
	return b.left[n].FreeCores - b.cores[n], b.left[n].FreeGPUs - b.gpus[n]
}

// play places the wishes. A step is tried for all wishes before the next one,
// and all steps again after any success, since a layout that cannot be asked
// for now may be right when others have taken their cores.
func (b *board) play(wishes []Wish) Result {
	// A layout that differs from node to node depends on what is free, and goes
	// first while the snapshot is true; one that does not can wait.
	pending := slices.Clone(wishes)
	if b.reserves {
		slices.SortStableFunc(pending, func(x, y Wish) int { return cmp.Compare(uniform(x), uniform(y)) })
	}
	steps := []func(Wish) (auction.Bid, bool){b.exact, b.elsewhereOnNodes, b.otherNodes, b.unstable}
	for len(pending) > 0 {
		if i, bid := b.first(steps, pending); i >= 0 {
			b.place(pending[i], bid)
			pending = slices.Delete(pending, i, i+1)
			continue
		}
		w := pending[0]
		pending = pending[1:]
		b.reserve(w, -1)
		b.result.Deferred = append(b.result.Deferred, auction.Deferral{Bid: bidOf(w, auction.Request{}), Reason: b.reason(w)})
	}
	return b.result
}

// first returns the first wish that a step places, or -1. Without reservations a
// wish goes through all steps before the next one has its turn.
func (b *board) first(steps []func(Wish) (auction.Bid, bool), pending []Wish) (int, auction.Bid) {
	if !b.reserves {
		pending = pending[:1]
	}
	for _, step := range steps {
		for i, w := range pending {
			b.reserve(w, -1)
			bid, ok := step(w)
			b.reserve(w, 1)
			if ok {
				return i, bid
			}
		}
	}
	return -1, auction.Bid{}
}

// place takes a bid's cores and GPUs.
func (b *board) place(w Wish, bid auction.Bid) {
	b.reserve(w, -1)
	for i, n := range bid.Nodes {
		b.left[n].FreeCores -= bid.Cores[i]
		b.left[n].FreeGPUs -= bid.GPUs
		if bid.Class != auction.ClassR {
			b.firm[n] += bid.Cores[i]
		}
	}
	b.result.Ordered = append(b.result.Ordered, bid)
	if !slices.Equal(bid.Nodes, w.Nodes) || !slices.Equal(bid.Cores, w.Cores) {
		b.result.Rearranged++
	}
}

// reason says why a wish has no bid.
func (b *board) reason(w Wish) string {
	job := b.snapshot.Jobs[w.Job]
	if job.Contiguous && w.Movable {
		return fmt.Sprintf("no block of %d nodes is left for the cores %s that the program chose", len(w.Nodes), auction.RunLength(w.Cores))
	}
	return fmt.Sprintf("Slurm cannot be asked for the cores %s that the program chose, nor for cores of the same worth", auction.RunLength(w.Cores))
}

// uniform is 1 for a wish with the same cores on each node, else 0.
func uniform(w Wish) int {
	if slices.Max(w.Cores) == slices.Min(w.Cores) {
		return 1
	}
	return 0
}

// bidOf is the bid for a wish by a request.
func bidOf(w Wish, r auction.Request) auction.Bid {
	return auction.Bid{
		Job: w.Job, Class: w.Class, Nodes: w.Nodes, Cores: w.Cores, GPUs: w.GPUs,
		TasksPerNode: r.TasksPerNode, MinCores: r.MinCores,
	}
}
