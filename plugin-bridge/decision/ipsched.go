package decision

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/plugin-bridge/realise"
)

// NewIPSCHED returns the policy of IPSCHED's program in its repaired form.
func NewIPSCHED(o Options) *Policy { return newPolicy(o, ipsched{o.Objective}) }

type ipsched struct{ objective formulation.Objective }

func (m ipsched) formulate(s auction.Snapshot, _ int) (formulation.Model, []auction.Bid, int) {
	return formulation.IPSCHED(s, formulation.IPSCHEDOptions{Objective: m.objective}), nil, 0
}

// realise may move jobs: the objective looks at which jobs start and at how many
// nodes they get.
func (ipsched) realise(s auction.Snapshot, _ []auction.Bid, all []formulation.Allocation) realise.Result {
	wishes := make([]realise.Wish, len(all))
	for i, a := range all {
		wishes[i] = realise.Wish{Allocation: a, Movable: true, Class: auction.ClassFree}
	}
	return realise.Realise(s, wishes)
}

func (ipsched) anytime() bool { return false }

// obstacle: "it assumes that the jobs do not have explicit node requests. Such job
// definitions may break up the system" (IPSCHED section IV).
func (ipsched) obstacle(j auction.Job, nodes []nodeset.Node) string {
	o := j.Options
	if len(o.Required)+len(o.Excluded)+len(o.Features) > 0 {
		return "it says which nodes it wants, and IPSCHED's program takes any"
	}
	if o.Partition != "" && slices.ContainsFunc(nodes, func(n nodeset.Node) bool { return !slices.Contains(n.Partitions, o.Partition) }) {
		return "its partition " + o.Partition + " has not all nodes, and IPSCHED's program takes any"
	}
	return ""
}
