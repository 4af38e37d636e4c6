package papers

import (
	"context"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// NewIPSCHED returns the policy of IPSCHED's program.
func NewIPSCHED(o DeciderOptions) *Decider { return newDecider(o, ipsched{o.Objective, o.StartLate}) }

type ipsched struct {
	objective Objective
	startLate bool
}

func (ipsched) bid(auction.Snapshot, int) ([]bidding.Bid, int) { return nil, 0 }

func (m ipsched) formulate(s auction.Snapshot, _ []bidding.Bid) model {
	return formulateIPSCHED(s, m.objective, nodeRanges(s))
}

func (m ipsched) direct(_ context.Context, s auction.Snapshot, _ []bidding.Bid, _ DeciderOptions) (direct, error) {
	return knapsack(s, worthOf(s, m.objective, len(s.Nodes)), nodeRanges(s)), nil
}

// realise may move jobs to other nodes: the objective depends on which jobs start and
// on how many nodes they get, and on nothing else.
func (ipsched) realise(s auction.Snapshot, _ []bidding.Bid, all []chosenCores) realised {
	return realise(s, all)
}

// start is nil: the paper's program has no bids that would be one.
func (ipsched) start(context.Context, auction.Snapshot, []bidding.Bid, model, direct) []float64 {
	return nil
}

// anytime is false in the paper: "If the time limit is exceeded, in that scheduling
// interval, none of the jobs are started" (IPSCHED section IV).
func (m ipsched) anytime() bool { return m.startLate }

// choices has the number of nodes: "If a job requests that the number of nodes it gets is
// between some limits, these limits are enforced by (5)" (IPSCHED section III).
func (ipsched) choices() bidding.Choices { return bidding.Choices{Nodes: true} }

// obstacle refuses jobs that cannot run on every node: the program "assumes that the jobs do not have explicit node requests. Such job
// definitions may break up the system" (IPSCHED section IV).
func (ipsched) obstacle(j bidding.Job, nodes []machine.Node) string {
	o := j.Options
	if len(o.Required)+len(o.Excluded)+len(o.Features) > 0 || o.GPUType != "" {
		return "it says which nodes it wants, and IPSCHED's program takes any"
	}
	if o.Partition != "" && slices.ContainsFunc(nodes, func(n machine.Node) bool { return !slices.Contains(n.Partitions, o.Partition) }) {
		return "its partition " + o.Partition + " has not all nodes, and IPSCHED's program takes any"
	}
	if o.MostNodes > 0 {
		return fmt.Sprintf("its partition %s allows it %d nodes, and IPSCHED's program takes any number", o.Partition, o.MostNodes)
	}
	return ""
}
