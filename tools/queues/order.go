package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// Order has the priority of each waiting job of a state; the highest goes first, and among equals the one that came
// first.
type Order func(s State) []float64

// sorted returns the waiting jobs in the order; nil is the order of arrival.
func (o Order) sorted(s State) []workloads.Job {
	if o == nil {
		return s.Waiting
	}
	priorities := o(s)
	places := make([]int, len(s.Waiting))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(priorities[b], priorities[a]) })
	jobs := make([]workloads.Job, len(places))
	for i, at := range places {
		jobs[i] = s.Waiting[at]
	}
	return jobs
}

// Multifactor is the order of priority/multifactor with the given weights.
func Multifactor(w priority.Weights) Order {
	return func(s State) []float64 {
		m := priority.Machine{Nodes: len(s.Nodes)}
		for _, n := range s.Nodes {
			m.Cores += n.Cores
		}
		all := make([]float64, len(s.Waiting))
		for i, j := range s.Waiting {
			all[i] = float64(w.Of(priority.WaitingJob{
				Age: seconds(s.Now - j.Arrival), Nodes: max(1, j.Nodes), Cores: j.Cores, Limit: time.Duration(j.Limit) * time.Second,
			}, m))
		}
		return all
	}
}

// ByValue is the order of what the jobs are worth to the auction.
func ByValue(s State) []float64 {
	return auction.Options{Objective: auction.ObjectiveAdaptive}.Worth(snapshotOf(s, s.Waiting))
}

// snapshotOf is what an auction among some of the waiting jobs sees.
func snapshotOf(s State, window []workloads.Job) auction.Snapshot {
	all := auction.Snapshot{Nodes: s.Nodes, Running: s.Running, Now: seconds(s.Now)}
	for rank, job := range window {
		j := request(job)
		j.Priority, j.Waited = float64(-rank), seconds(s.Now-job.Arrival)
		all.Jobs = append(all.Jobs, j)
	}
	return all
}
