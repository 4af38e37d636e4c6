package agent

import (
	"maps"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// runningJob reads where a job runs. index finds nodes by name.
func runningJob(j slurmctl.Job, index map[string]int) (RunningJob, error) {
	nodes, err := indices(j.NodeList, index)
	slices.Sort(nodes)
	return RunningJob{
		ID: j.ID, Name: workloadID(j), Nodes: nodes, Cores: j.CPUs, GPUs: j.GPUsPerNode,
		Start: j.Start, Limit: j.TimeLimit,
	}, err
}

// entry makes the journal's entry of the cycle that begins at now, before the
// auction: its releases change the jobs in flight.
func (a *Agent) entry(now time.Duration, state State, s auction.Snapshot) journal.Cycle {
	if a.options.Journal == nil {
		return journal.Cycle{}
	}
	c := journal.Cycle{Cycle: a.cycle, Time: now, Snapshot: s, Options: a.options.Auction}
	c.Options.Clock, c.Options.MaxBids = nil, a.budget.bids
	for _, r := range state.Running {
		job := journal.Running{Job: r.Name, Nodes: r.Nodes, Cores: evenly(r.Cores, len(r.Nodes)), GPUs: r.GPUs}
		if o, verified := a.running[r.ID]; verified && slices.Equal(o.bid.Nodes, r.Nodes) {
			job.Cores = o.bid.Cores
		}
		if r.Limit > 0 {
			job.End = r.Start.Add(r.Limit).Sub(a.began).Round(time.Second / 2)
		}
		c.Running = append(c.Running, job)
	}
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		f := a.flights[id]
		job := journal.Running{Job: f.job, Nodes: f.bid.Nodes, Cores: f.bid.Cores, GPUs: f.bid.GPUs}
		if f.limit > 0 {
			job.End = (now + f.limit).Round(time.Second / 2)
		}
		c.Running = append(c.Running, job)
	}
	// By fair share the window is not the beginning of the queue.
	inside := make(map[int]bool, len(s.Jobs))
	for _, j := range s.Jobs {
		inside[j.ID] = true
	}
	for _, h := range state.Held {
		if h.Obstacle == "" && !a.early(h) && !inside[h.Name] {
			c.Outside = append(c.Outside, h.Name)
		}
	}
	return c
}

// evenly spreads cores over nodes, the first ones having one more. It stands for
// what is not known of a job that the agent did not place.
func evenly(cores, nodes int) []int {
	all := make([]int, nodes)
	for i := range all {
		all[i] = cores / nodes
		if i < cores%nodes {
			all[i]++
		}
	}
	return all
}
