package papers

import (
	"context"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// NewAUCSCHED returns the policy of AUCSCHED's program, with the variables u and
// r.
func NewAUCSCHED(o DeciderOptions) *Decider { return newDecider(o, aucsched{o.Bids, o.Start}) }

type aucsched struct {
	options bidding.BidOptions
	begin   Select
}

func (m aucsched) bid(s auction.Snapshot, maxBids int) ([]bidding.Bid, int) {
	o := m.options
	o.MaxBids = maxBids
	bids, dropped := s.Bids(o)
	return bids, dropped.Total()
}

func (aucsched) formulate(s auction.Snapshot, bids []bidding.Bid) model {
	return formulateAUCSCHED(s, bids)
}

func (aucsched) direct(ctx context.Context, s auction.Snapshot, bids []bidding.Bid, o DeciderOptions) (direct, error) {
	return newCuts(s, bids).solve(ctx, o.Pack, o.Quick)
}

// start is a selection of the same bids by AUCSCHED2's program, with the bids' own cores T_in as u and r. AUCSCHED's
// program differs from it in that u and r are free.
// A better selection that was found with cores of other nodes takes its place.
func (m aucsched) start(ctx context.Context, s auction.Snapshot, bids []bidding.Bid, program model, found direct) []float64 {
	if m.begin == nil {
		return nil
	}
	selected := m.begin(ctx, auction.Formulate(s, bids, auction.ObjectivePriority)).Selected
	own := program.pointOf(bids, selected)
	if found.all == nil {
		return own
	}
	split := slices.Clone(bids)
	for k, i := range found.selected {
		split[i].Cores = found.all[k].Cores
	}
	other := program.pointOf(split, found.selected)
	if program.Program.Value(other) > program.Program.Value(own) {
		return other
	}
	return own
}

// realise first tries the winning bids with their own cores T_in, for which Slurm can be asked. They are worth as
// much as the solver's u and r, since the objective depends only on which bids win. If they do not fit together it
// realises the solver's allocations. Bids of auction.PaperBids may fit together although Slurm gives other cores.
// Then it arranges them, and takes what starts more.
func (m aucsched) realise(s auction.Snapshot, bids []bidding.Bid, all []chosenCores) realised {
	own := make([]bidding.Bid, len(all))
	all = slices.Clone(all)
	for i, a := range all {
		at := slices.IndexFunc(bids, func(b bidding.Bid) bool { return b.Job == a.Job && slices.Equal(b.Nodes, a.Nodes) })
		own[i] = bids[at]
		all[i].Class = own[i].Class
	}
	if ordered, deferred := auction.Order(s, own); len(deferred) == 0 {
		return realised{ordered: ordered, rearranged: differing(ordered, all)}
	}
	solved := realise(s, all)
	if !m.options.Papers || len(solved.deferred) == 0 || !together(s.Nodes, own) {
		return solved
	}
	p, arranged := s.Priorities(), Arrange(s, own)
	if value(p, arranged.Ordered) <= value(p, solved.ordered) {
		return solved
	}
	return realised{ordered: arranged.Ordered, deferred: arranged.Deferred, rearranged: differing(arranged.Ordered, all)}
}

// differing counts the bids that have other cores than the solver chose.
func differing(ordered []bidding.Bid, all []chosenCores) int {
	count := 0
	for _, b := range ordered {
		if !slices.ContainsFunc(all, func(a chosenCores) bool { return a.Job == b.Job && slices.Equal(a.Cores, b.Cores) }) {
			count++
		}
	}
	return count
}

// together reports whether the nodes have room for the cores of all bids.
func together(nodes []machine.Node, bids []bidding.Bid) bool {
	left := slices.Clone(nodes)
	for _, b := range bids {
		if !machine.Fits(left, b.Allocation) {
			return false
		}
		machine.Take(left, b.Allocation)
	}
	return true
}

func (aucsched) anytime() bool { return true }

// choices are none: AUCSCHED Table 1 has numbers of nodes and GPUs, no ranges.
func (aucsched) choices() bidding.Choices { return bidding.Choices{} }

// obstacle is always "": bids lie on nodes that the options of their job allow.
func (aucsched) obstacle(bidding.Job, []machine.Node) string { return "" }
