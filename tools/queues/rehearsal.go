package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/workloads"
)

// Start is a job that has started, on its nodes. Times are seconds since the start
// of the workload; End is when its run time is over.
type Start struct {
	Job        workloads.Job
	Begin, End int
	machine.Allocation
}

// held is what a policy may know of the job: it ends when Slurm would kill it.
func (s Start) held() machine.Holding {
	return machine.Holding{Job: s.Job.ID, Allocation: s.Allocation, End: seconds(s.Begin + s.Job.Limit)}
}

// State is what a policy decides on. It is read only.
type State struct {
	Now     int // in seconds since the start of the workload
	Nodes   []machine.Node
	Waiting []workloads.Job // those that have arrived, in the order of arrival
	// Running have the ends of their time limits on the clock of Now.
	Running []machine.Holding
}

// Scheduler decides which jobs start.
type Scheduler interface {
	// Decide returns the jobs to start now, as bids of State.Waiting by index. again is when the policy wants to be
	// asked again if nothing arrives or ends before, math.MaxInt if it need not be.
	Decide(ctx context.Context, s State) (starts []bidding.Bid, again int, err error)
}

// Play runs the jobs on the machine and returns them in the order of their ends. [Backfill] is a model of nodes that
// are alike and of jobs that ask for nodes, cores and GPUs alone. The error comes from a decision, or names how many
// jobs the policy does not start on the idle machine.
func Play(ctx context.Context, m workloads.Machine, jobs []workloads.Job, policy Scheduler) ([]Start, error) {
	var known []string
	if _, plain := policy.(*Backfill); !plain {
		known = []string{"partition", "mem_per_node", "mem_per_cpu", "gpu_type", "exclusive"}
	} else if err := m.CheckEqual("a rehearsal"); err != nil {
		return nil, err
	}
	if err := workloads.CheckPlain("a rehearsal", jobs, known...); err != nil {
		return nil, err
	}
	p := rehearsal{policy: policy, coming: slices.Clone(jobs), again: math.MaxInt}
	if len(m.Switches.List) > 0 {
		return nil, fmt.Errorf("machine %s: switches.list: got it, and a rehearsal knows regular trees alone", m.Name)
	}
	levels := m.Switches.Levels(m.Nodes)
	p.Nodes = idle(m)
	for i := range p.Nodes {
		for _, size := range levels {
			p.Nodes[i].Switches = append(p.Nodes[i].Switches, i/size)
		}
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

type rehearsal struct {
	State
	policy Scheduler
	coming []workloads.Job // by arrival
	// started are the jobs of State.Running.
	started []Start
	again   int
}

// decide asks the policy and starts what it says.
func (p *rehearsal) decide(ctx context.Context) error {
	var starts []bidding.Bid
	var err error
	starts, p.again, err = p.policy.Decide(ctx, p.State)
	if err != nil {
		return err
	}
	gone := make(map[int]bool, len(starts))
	for _, bid := range starts {
		j := p.Waiting[bid.Job]
		if !machine.Fits(p.Nodes, bid.Allocation) {
			return fmt.Errorf("job %d does not fit where the policy starts it: %v", j.ID, bid)
		}
		machine.Take(p.Nodes, bid.Allocation)
		gone[j.ID] = true
		s := Start{Job: j, Begin: p.Now, End: p.Now + j.RuntimeOn(bid.GPUs), Allocation: bid.Allocation}
		p.started, p.Running = append(p.started, s), append(p.Running, s.held())
	}
	p.Waiting = slices.DeleteFunc(p.Waiting, func(j workloads.Job) bool { return gone[j.ID] })
	return nil
}

// next is the time of the next end, arrival or wish of the policy.
func (p *rehearsal) next() int {
	next := math.MaxInt
	for _, s := range p.started {
		next = min(next, s.End)
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
func (p *rehearsal) end() (ended []Start) {
	started := p.started
	p.started, p.Running = nil, nil
	for _, s := range started {
		if s.End > p.Now {
			p.started, p.Running = append(p.started, s), append(p.Running, s.held())
			continue
		}
		machine.Give(p.Nodes, s.Allocation)
		ended = append(ended, s)
	}
	return ended
}
