package main

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// Order is the priority of a job that has waited for so many seconds on a machine; the
// highest goes first, and among equals the one that came first.
type Order func(j workloads.Job, waited int, m priority.Machine) float64

// sorted returns the waiting jobs in the order; nil is the order of arrival.
func (o Order) sorted(s State) []workloads.Job {
	if o == nil {
		return s.Waiting
	}
	m := priority.Machine{Nodes: len(s.Nodes)}
	for _, n := range s.Nodes {
		m.Cores += n.Cores
	}
	type ranked struct {
		job      workloads.Job
		priority float64
	}
	all := make([]ranked, len(s.Waiting))
	for i, j := range s.Waiting {
		all[i] = ranked{j, o(j, s.Now-j.Arrival, m)}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch {
		case a.priority > b.priority:
			return -1
		case a.priority < b.priority:
			return 1
		}
		return 0
	})
	jobs := make([]workloads.Job, len(all))
	for i, r := range all {
		jobs[i] = r.job
	}
	return jobs
}

// Multifactor is the order of priority/multifactor with the given weights.
func Multifactor(w priority.Weights) Order {
	return func(j workloads.Job, waited int, m priority.Machine) float64 {
		return float64(w.Of(priority.WaitingJob{
			Age: seconds(waited), Nodes: max(1, j.Nodes), Cores: j.Cores, Limit: time.Duration(j.Limit) * time.Second,
		}, m))
	}
}
