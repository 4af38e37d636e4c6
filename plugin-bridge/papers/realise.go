package papers

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// realised is what Slurm is to be asked for to get what a program chose.
type realised struct {
	// ordered are to be started in exactly this order.
	ordered []bidding.Bid
	// deferred are the jobs left for a later cycle.
	deferred []auction.Deferral
	// rearranged counts the bids of ordered whose nodes or cores are not those
	// that the program chose.
	rearranged int
}

// realise finds bids for allocations that together oversell no node of the snapshot. It first keeps each job to the
// nodes of its allocation. If that defers a job, and some allocations are movable, it also tries to put the jobs one
// after the other anywhere on the machine: those that need a block first, then by the number of nodes. Of both
// results it returns the one that is worth more to the program.
func realise(s auction.Snapshot, allocations []chosenCores) realised {
	kept := newBoard(s, allocations, true).play(allocations)
	if len(kept.deferred) == 0 || !slices.ContainsFunc(allocations, func(a chosenCores) bool { return a.Movable }) {
		return kept
	}
	hardest := slices.Clone(allocations)
	slices.SortStableFunc(hardest, func(a, b chosenCores) int {
		blockA, blockB := s.Jobs[a.Job].Contiguous, s.Jobs[b.Job].Contiguous
		switch {
		case blockA != blockB && blockA:
			return -1
		case blockA != blockB:
			return 1
		}
		return cmp.Compare(len(b.Nodes), len(a.Nodes))
	})
	moved := newBoard(s, allocations, false).play(hardest)
	if started(allocations, moved) > started(allocations, kept) {
		return moved
	}
	return kept
}

// started is what the allocations that start add to the objective. The sum has the
// order of the allocations, so that equal sets of jobs have equal sums.
func started(allocations []chosenCores, r realised) float64 {
	sum := 0.0
	for _, a := range allocations {
		if slices.ContainsFunc(r.ordered, func(b bidding.Bid) bool { return b.Job == a.Job }) {
			sum += a.Value
		}
	}
	return sum
}

// board is the machine while allocations are turned into bids one after the other.
type board struct {
	snapshot auction.Snapshot
	// starts are the bids so far.
	starts *machine.Sequence
	// reserves says that the allocations that have no bid yet keep what they take of
	// their own nodes. cores and gpus are what is kept so of each node.
	reserves    bool
	cores, gpus []int
	result      realised
}

func newBoard(s auction.Snapshot, allocations []chosenCores, reserves bool) *board {
	b := &board{
		snapshot: s, starts: machine.NewSequence(s.Nodes), reserves: reserves,
		cores: make([]int, len(s.Nodes)), gpus: make([]int, len(s.Nodes)),
	}
	for _, a := range allocations {
		b.reserve(a, 1)
	}
	return b
}

// reserve keeps for an allocation what it takes of its nodes; with a sign of -1 it
// gives that up.
func (b *board) reserve(a chosenCores, sign int) {
	if !b.reserves {
		return
	}
	for i, n := range a.Nodes {
		b.cores[n] += sign * a.Cores[i]
		b.gpus[n] += sign * a.GPUs
	}
}

// open returns the cores and GPUs of a node that no bid takes and that are not kept
// for any allocation.
func (b *board) open(n int) (cores, gpus int) {
	left := b.starts.Left()[n]
	return left.FreeCores - b.cores[n], left.FreeGPUs - b.gpus[n]
}

// play turns the allocations into bids, by the steps that doc.go lists. It tries a step with all allocations before
// the next step. It begins with the first step again whenever a bid is found, since Slurm may give a job the right
// cores once another job has taken its own.
func (b *board) play(allocations []chosenCores) realised {
	// A layout that differs from node to node depends on what is free, and goes
	// first while the snapshot is true; one that does not can wait.
	pending := slices.Clone(allocations)
	if b.reserves {
		slices.SortStableFunc(pending, func(x, y chosenCores) int { return cmp.Compare(uniform(x), uniform(y)) })
	}
	for len(pending) > 0 {
		if i, bid := b.first(pending); i >= 0 {
			b.place(pending[i], bid)
			pending = slices.Delete(pending, i, i+1)
			continue
		}
		i := b.cheapest(pending)
		a := pending[i]
		pending = slices.Delete(pending, i, i+1)
		b.reserve(a, -1)
		b.result.deferred = append(b.result.deferred, auction.Deferral{Bid: bidOf(a, machine.Request{}), Reason: b.reason(a)})
	}
	return b.result
}

// first returns the index of the first allocation for which a step finds a bid, and
// that bid, or -1 if there is none. Without reservations only the first allocation is
// tried: it goes through all steps before it is the turn of the next one.
func (b *board) first(pending []chosenCores) (int, bidding.Bid) {
	if !b.reserves {
		pending = pending[:1]
	}
	for _, step := range []func(chosenCores) (bidding.Bid, bool){b.exact, b.elsewhereOnNodes, b.otherNodes, b.unstable} {
		for i, a := range pending {
			b.reserve(a, -1)
			bid, ok := step(a)
			b.reserve(a, 1)
			if ok {
				return i, bid
			}
		}
	}
	return -1, bidding.Bid{}
}

// place takes a bid's cores and GPUs.
func (b *board) place(a chosenCores, bid bidding.Bid) {
	b.reserve(a, -1)
	// A bid of class R may be held back at the last moment, so it is not sure.
	b.starts.Take(bid.Allocation, bid.Class != bidding.ClassR)
	b.result.ordered = append(b.result.ordered, bid)
	if !slices.Equal(bid.Nodes, a.Nodes) || !slices.Equal(bid.Cores, a.Cores) {
		b.result.rearranged++
	}
}

// reason says why no step finds a bid for an allocation.
func (b *board) reason(a chosenCores) string {
	job := b.snapshot.Jobs[a.Job]
	if job.Contiguous && a.Movable {
		return fmt.Sprintf("no block of %d nodes is left for the cores %s that the program chose", len(a.Nodes), machine.RunLength(a.Cores))
	}
	return fmt.Sprintf("Slurm cannot be asked for the cores %s that the program chose, nor for cores of the same worth", machine.RunLength(a.Cores))
}

// uniform is 1 for an allocation with the same cores on each node, else 0.
func uniform(a chosenCores) int {
	if slices.Max(a.Cores) == slices.Min(a.Cores) {
		return 1
	}
	return 0
}

// bidOf is the bid for an allocation by a request.
func bidOf(a chosenCores, r machine.Request) bidding.Bid {
	return bidding.Bid{
		Job: a.Job, Class: a.Class, Allocation: a.Allocation,
		TasksPerNode: r.TasksPerNode, MinCores: r.MinCores,
	}
}
