package papers

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// NewAUCSCHED returns the policy of AUCSCHED's program, with the variables u and
// r.
func NewAUCSCHED(o Options) *Decider { return newDecider(o, aucsched{o.Bids}) }

type aucsched struct{ options bidding.Options }

func (m aucsched) formulate(s auction.Snapshot, maxBids int) (model, []bidding.Bid, int) {
	o := m.options
	o.MaxBids = maxBids
	bids, dropped := s.Generator(o).Bids()
	return formulateAUCSCHED(s, bids), bids, dropped.Total()
}

// realise first tries the winning bids with their own cores T_in, for which Slurm can
// be asked: they are worth as much as the solver's u and r, since the objective
// depends on nothing but which bids win. If they do not fit together it realises the
// solver's allocations.
func (aucsched) realise(s auction.Snapshot, bids []bidding.Bid, all []allocation) realised {
	own := make([]bidding.Bid, len(all))
	all = slices.Clone(all)
	rearranged := 0
	for i, a := range all {
		at := slices.IndexFunc(bids, func(b bidding.Bid) bool { return b.Job == a.Job && slices.Equal(b.Nodes, a.Nodes) })
		own[i] = bids[at]
		all[i].Class = own[i].Class
		if !slices.Equal(own[i].Cores, a.Cores) {
			rearranged++
		}
	}
	if ordered, deferred := auction.Order(s, own); len(deferred) == 0 {
		return realised{ordered: ordered, rearranged: rearranged}
	}
	return realise(s, all)
}

func (aucsched) anytime() bool { return true }

// obstacle is always "": bids lie on nodes that the options of their job allow.
func (aucsched) obstacle(bidding.Job, []machine.Node) string { return "" }
