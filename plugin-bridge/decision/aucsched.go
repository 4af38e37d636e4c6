package decision

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/plugin-bridge/realise"
)

// NewAUCSCHED returns the policy of AUCSCHED's program, with the variables u and
// r, in its repaired form.
func NewAUCSCHED(o Options) *Policy { return newPolicy(o, aucsched{o.Bids}) }

type aucsched struct{ options auction.Options }

func (m aucsched) formulate(s auction.Snapshot, maxBids int) (formulation.Model, []auction.Bid, int) {
	o := m.options
	o.MaxBids = maxBids
	bids, cut := auction.Generate(s, o)
	return formulation.AUCSCHED(s, bids, formulation.AUCSCHEDOptions{}), bids, cut
}

// realise takes the bids with their own T_in if these fit together: the objective
// looks at bids only, and theirs are cores that Slurm can be asked for.
func (aucsched) realise(s auction.Snapshot, bids []auction.Bid, all []formulation.Allocation) realise.Result {
	own := make([]auction.Bid, len(all))
	wishes := make([]realise.Wish, len(all))
	rearranged := 0
	for i, a := range all {
		at := slices.IndexFunc(bids, func(b auction.Bid) bool { return b.Job == a.Job && slices.Equal(b.Nodes, a.Nodes) })
		own[i] = bids[at]
		wishes[i] = realise.Wish{Allocation: a, Class: own[i].Class}
		if !slices.Equal(own[i].Cores, a.Cores) {
			rearranged++
		}
	}
	if ordered, deferred := auction.Order(s, own); len(deferred) == 0 {
		return realise.Result{Ordered: ordered, Rearranged: rearranged}
	}
	return realise.Realise(s, wishes)
}

func (aucsched) anytime() bool { return true }

// obstacle: bids lie on nodes that a job allows.
func (aucsched) obstacle(auction.Job, []nodeset.Node) string { return "" }
