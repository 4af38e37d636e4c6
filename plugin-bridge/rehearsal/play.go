package rehearsal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/workloads"
)

// Start is a job that runs or ran. Times are seconds since the start of the
// workload; End is that of its run time, which a policy must not look at.
type Start struct {
	Job        workloads.Job
	Begin, End int
	Bid        auction.Bid
}

// limit is the time at which Slurm would kill the job.
func (s Start) limit() int { return s.Begin + s.Job.Limit }

// State is what a policy decides on. It is read only.
type State struct {
	Now     int
	Nodes   []nodeset.Node
	Waiting []workloads.Job // those that have arrived, in the order of arrival
	Running []Start
}

// Policy decides which jobs start.
type Policy interface {
	// Decide returns the jobs to start now, as bids of State.Waiting by index, and
	// when the policy wants to be asked again if nothing arrives or ends before,
	// math.MaxInt if it need not be.
	Decide(ctx context.Context, s State) (starts []auction.Bid, again int, err error)
}

// Play runs the jobs on the machine and returns them in the order of their ends.
// The error is that of a decision, or names how many jobs the policy does not
// start on the idle machine.
func Play(ctx context.Context, m workloads.Machine, jobs []workloads.Job, policy Policy) ([]Start, error) {
	p := play{policy: policy, coming: slices.Clone(jobs), again: math.MaxInt}
	levels := m.Switches.Levels(m.Nodes)
	for i := range m.Nodes {
		n := nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: m.Cores, GPUs: m.GPUs, FreeCores: m.Cores, FreeGPUs: m.GPUs}
		for _, size := range levels {
			n.Switches = append(n.Switches, i/size)
		}
		p.Nodes = append(p.Nodes, n)
	}
	slices.SortStableFunc(p.coming, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	var ended []Start
	for len(p.coming)+len(p.Waiting)+len(p.Running) > 0 {
		for len(p.coming) > 0 && p.coming[0].Arrival <= p.Now {
			p.Waiting, p.coming = append(p.Waiting, p.coming[0]), p.coming[1:]
		}
		if err := p.decide(ctx); err != nil {
			return nil, fmt.Errorf("rehearse %d s: %w", p.Now, err)
		}
		next := p.next()
		if next == math.MaxInt && len(p.Waiting) > 0 {
			return nil, fmt.Errorf("rehearse %d s: %d jobs do not start on the idle machine", p.Now, len(p.Waiting))
		}
		p.Now = next
		ended = append(ended, p.end()...)
	}
	return ended, nil
}

type play struct {
	State
	policy Policy
	coming []workloads.Job // by arrival
	again  int
}

// decide asks the policy and starts what it says.
func (p *play) decide(ctx context.Context) error {
	var starts []auction.Bid
	var err error
	starts, p.again, err = p.policy.Decide(ctx, p.State)
	if err != nil {
		return err
	}
	started := make(map[int]bool, len(starts))
	for _, bid := range starts {
		j := p.Waiting[bid.Job]
		take(p.Nodes, bid, 1)
		started[j.ID] = true
		p.Running = append(p.Running, Start{Job: j, Begin: p.Now, End: p.Now + j.RuntimeOn(bid.GPUs), Bid: bid})
	}
	p.Waiting = slices.DeleteFunc(p.Waiting, func(j workloads.Job) bool { return started[j.ID] })
	return nil
}

// next is the time of the next end, arrival or wish of the policy.
func (p *play) next() int {
	next := math.MaxInt
	for _, r := range p.Running {
		next = min(next, r.End)
	}
	if len(p.coming) > 0 {
		next = min(next, p.coming[0].Arrival)
	}
	// An idle machine changes no more by itself.
	if len(p.Waiting) > 0 && p.again > p.Now {
		next = min(next, p.again)
	}
	return next
}

// end frees what the jobs hold that are over by now.
func (p *play) end() []Start {
	var over, on []Start
	for _, r := range p.Running {
		if r.End > p.Now {
			on = append(on, r)
			continue
		}
		take(p.Nodes, r.Bid, -1)
		over = append(over, r)
	}
	p.Running = on
	return over
}

// take subtracts what a bid takes from the free counts, or gives it back when
// sign is -1.
func take(nodes []nodeset.Node, b auction.Bid, sign int) {
	for i, n := range b.Nodes {
		nodes[n].FreeCores -= sign * b.Cores[i]
		nodes[n].FreeGPUs -= sign * b.GPUs
	}
}
