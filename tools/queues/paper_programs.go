package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Papers is the policy of a paper's program, with a cycle at most each Interval. It plays one workload.
type Papers struct {
	// Window is the number of waiting jobs that take part, Interval the seconds from one cycle to the next.
	Window, Interval int
	Reading          auction.Reading
	// Multifactor weighs jobs by age and size, as priority/multifactor with IPSCHED's weights.
	Multifactor bool
	// Program decides on the jobs of a snapshot.
	Program func(context.Context, auction.Snapshot) (auction.Result, error)
	next    int
}

// Decide runs the program, if it is time for a cycle.
func (p *Papers) Decide(ctx context.Context, state State) ([]bidding.Bid, int, error) {
	if state.Now < p.next {
		return nil, p.next, nil
	}
	p.next = state.Now + p.Interval
	s := auction.Snapshot{Nodes: state.Nodes, Running: state.Running, Now: seconds(state.Now), Reading: p.Reading, Weighted: p.Multifactor}
	of := make(map[int]int, len(state.Waiting))
	for at, waiting := range state.Waiting {
		j := request(waiting)
		of[j.ID] = at
		j.Priority = -float64(j.ID)
		if p.Multifactor {
			j.Priority = multifactor(j, state.Now-waiting.Arrival, state.Nodes)
		} else if at > 0 {
			j.Priority = min(j.Priority, s.Jobs[at-1].Priority-1)
		}
		s.Jobs = append(s.Jobs, j)
	}
	slices.SortStableFunc(s.Jobs, func(a, b bidding.Job) int { return cmp.Compare(b.Priority, a.Priority) })
	s.Jobs = s.Jobs[:min(p.Window, len(s.Jobs))]
	r, err := p.Program(ctx, s)
	starts := slices.Clone(r.Ordered)
	for i := range starts {
		starts[i].Job = of[s.Jobs[starts[i].Job].ID]
	}
	return starts, math.MaxInt, err
}

// multifactor is the priority of a job that has waited so many seconds.
func multifactor(j bidding.Job, waited int, nodes []machine.Node) float64 {
	m := priority.Machine{Nodes: len(nodes)}
	for _, n := range nodes {
		m.Cores += n.Cores
	}
	asked := max(1, j.Nodes)
	if j.Nodes == 0 && j.CoresPerNode > 0 {
		asked = j.Cores / j.CoresPerNode
	}
	return float64(priority.IPSCHED().Of(priority.WaitingJob{Age: seconds(waited), Nodes: asked, Cores: j.Tasks()}, m))
}
