package main

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/workloads"
)

// Auction is the policy of the agent: an auction among the first jobs of the
// queue, or of the order of fair share. An Auction plays one workload.
type Auction struct {
	// Window is the number of waiting jobs that take part in an auction.
	Window  int
	Options auction.Options
	Solver  auction.Solver
	Guard   *auction.Guard
	// FairShare is nil without fair share.
	FairShare *FairShare
	// Interval is the most time in seconds from a cycle that leaves jobs waiting to the next one ([auction.Pace]), 0 for a
	// cycle whenever something changes.
	Interval int
	// Steady has cycles keep to the interval, however short the jobs are.
	Steady bool
	next   int // time of the next cycle
	pace   auction.Pace
	began  map[int]int // of the jobs that run, by job
}

// Decide runs one auction, if it is time for one.
func (a *Auction) Decide(ctx context.Context, state State) ([]bidding.Bid, int, error) {
	a.ends(state)
	if state.Now < a.next {
		return nil, a.next, nil
	}
	wait := a.pace.Interval(seconds(a.Interval))
	if a.Steady {
		wait = seconds(a.Interval)
	}
	a.next = state.Now + int(math.Ceil(wait.Seconds()))
	window := a.FairShare.window(state, a.Window)
	jobs := make([]workloads.Job, len(window))
	for rank, at := range window {
		jobs[rank] = state.Waiting[at]
	}
	s := snapshotOf(state, jobs)
	for i, j := range jobs {
		s.Jobs[i].Weight = a.FairShare.weight(j)
	}
	a.Guard.Mark(s)
	r, err := auction.Auction(ctx, s, a.Options, a.Solver)
	starts := slices.Clone(r.Ordered)
	for i := range starts {
		starts[i].Job = window[starts[i].Job]
	}
	a.FairShare.charge(state, starts)
	if len(starts) == len(state.Waiting) {
		a.next = state.Now
	}
	if len(r.Reservations()) == 0 {
		return starts, math.MaxInt, err
	}
	return starts, state.Now + int(min(a.Options.Steady(s, a.Guard).Seconds(), never)), err
}

// ends tells the pace of the jobs that have ended.
func (a *Auction) ends(state State) {
	began := make(map[int]int, len(state.Running))
	for _, h := range state.Running {
		began[h.Job] = state.Now
		if at, known := a.began[h.Job]; known {
			began[h.Job] = at
		}
	}
	for _, job := range slices.Sorted(maps.Keys(a.began)) {
		if _, runs := began[job]; !runs {
			a.pace.Ended(seconds(state.Now - a.began[job]))
		}
	}
	a.began = began
}

// never is later than any end of a workload, in seconds.
const never = 1 << 40

// request is what a job asks for.
func request(j workloads.Job) bidding.Job {
	return bidding.Job{
		ID: j.ID, Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode,
		GPUs: j.GPUsMin, MaxGPUs: j.GPUsMax, Contiguous: j.Contiguous, TimeLimit: seconds(j.Limit),
		Options: bidding.JobOptions{
			Partition: j.Partition, GPUType: j.GPUType, Exclusive: j.Exclusive, MemoryPerNode: j.MemPerNode, MemoryPerCore: j.MemPerCPU,
		},
	}
}
