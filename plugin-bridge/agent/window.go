package agent

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
)

// snapshot makes what the cycle decides on. It takes what jobs in flight hold off
// what is free, and fills the window with jobs that have no obstacle, in the order of
// priority or of fair share. Obstacles that the Decider names are added to the state.
func (a *Agent) snapshot(state State, now time.Duration) (auction.Snapshot, []HeldJob) {
	nodes, licences := slices.Clone(state.Nodes), slices.Clone(state.Licences)
	// Jobs that are still in flight after settle had not started when the state was
	// read: Slurm's free counts do not know them.
	for _, f := range a.flights {
		machine.Take(nodes, f.Allocation)
		licences.Take(f.Licences)
	}
	a.budget.grow(state, nodes)
	var window []HeldJob
	for i, h := range state.Held {
		if h.Obstacle == "" && a.options.Decider != nil {
			h.Obstacle = a.options.Decider.Obstacle(h.Request, state.Nodes)
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
	jobs := make([]bidding.Job, len(window))
	for i, h := range window {
		jobs[i] = h.Request
		jobs[i].ID = h.Job
		if !a.multifactor() {
			jobs[i].Priority = float64(len(window) - i)
		}
	}
	s := auction.Snapshot{
		Nodes: nodes, Jobs: jobs, Weighted: a.multifactor(), Licences: licences,
		Running: a.holdings(state, now), Now: now,
	}
	a.guard.Mark(s)
	return s, window
}

// early says that the job wants to begin later (--begin).
func (a *Agent) early(h HeldJob) bool { return a.options.Now != nil && h.Begin.After(a.options.Now()) }

// report records the obstacles that are new.
func (a *Agent) report(held []HeldJob, record *trace.Cycle) {
	for _, h := range held {
		if h.Obstacle != a.obstacles[h.ID] {
			a.obstacles[h.ID] = h.Obstacle
			record.Unplaced = append(record.Unplaced, trace.Refusal{Job: h.Job, Reason: h.Obstacle})
		}
	}
}
