package agent

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/trace"
)

// snapshot takes the resources of jobs in flight off the free ones and makes
// the window of the jobs without an obstacle, in the order of priority or of fair
// share. It writes down the obstacles that the policy sees.
func (a *Agent) snapshot(state State, now time.Duration) (auction.Snapshot, []HeldJob) {
	nodes, licences := slices.Clone(state.Nodes), slices.Clone(state.Licences)
	// What settle left in flight had not started when state was read.
	for _, f := range a.flights {
		for i, n := range f.bid.Nodes {
			nodes[n].FreeCores = max(0, nodes[n].FreeCores-f.bid.Cores[i])
			nodes[n].FreeGPUs = max(0, nodes[n].FreeGPUs-f.bid.GPUs)
			nodes[n].FreeMemory = max(0, nodes[n].FreeMemory-f.bid.Memory(i))
		}
		for _, l := range f.licences {
			licences = append(licences, auction.Licence{Name: l.Name, Count: -l.Count})
		}
	}
	a.budget.grow(state, nodes)
	var window []HeldJob
	for i, h := range state.Held {
		if h.Obstacle == "" && a.options.Obstacle != nil {
			h.Obstacle = a.options.Obstacle(h.Request, state.Nodes)
			state.Held[i].Obstacle = h.Obstacle
		}
		if h.Obstacle == "" && !a.early(h) {
			window = append(window, h)
		}
	}
	if a.ledger != nil {
		window = fair(a.ledger, state, window, a.budget.window)
	}
	window = window[:min(len(window), a.budget.window)]
	jobs := make([]auction.Job, len(window))
	for i, h := range window {
		jobs[i] = h.Request
		jobs[i].ID = h.Name
		if !a.multifactor() {
			jobs[i].Priority = float64(len(window) - i)
		}
	}
	s := auction.Snapshot{
		Nodes: nodes, Jobs: jobs, Weighted: a.multifactor(), Licences: licences, Running: a.occupations(state, now),
	}
	a.guard.Mark(now, s)
	return s, window
}

// early says that the job wants to begin later (--begin).
func (a *Agent) early(h HeldJob) bool { return a.options.Now != nil && h.Begin.After(a.options.Now()) }

// report records the obstacles that are new.
func (a *Agent) report(held []HeldJob, record *trace.Cycle) {
	for _, h := range held {
		if h.Obstacle != a.obstacles[h.ID] {
			a.obstacles[h.ID] = h.Obstacle
			record.Unplaced = append(record.Unplaced, trace.Refusal{Job: h.Name, Reason: h.Obstacle})
		}
	}
}
