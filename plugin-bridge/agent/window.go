package agent

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
)

// snapshot makes what the cycle decides on. It takes what jobs in flight hold off what is free. It fills the window
// with jobs that have no obstacle, in the order of priority or of fair share, each with the nodes that reservations
// of Slurm keep from it now. Obstacles that the Decider names, and limits that do not suffice, are added to the state.
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
		if a.takesPart(h) {
			h.Obstacle = a.limited(&h, licences)
			state.Held[i].Obstacle = h.Obstacle
		}
		if a.takesPart(h) {
			window = append(window, h)
		}
	}
	if a.ledger != nil {
		window = fair(a.ledger, state, window, a.budget.window)
	}
	window = window[:min(len(window), a.budget.window)]
	var clock time.Time
	if a.options.Now != nil {
		clock = a.options.Now()
	}
	jobs := make([]bidding.Job, len(window))
	for i, h := range window {
		jobs[i], _ = a.choices().Narrow(h.Request, state.Nodes)
		jobs[i].ID = h.Job
		if a.options.Now != nil {
			jobs[i].Waited = max(0, clock.Sub(h.Submit))
			jobs[i].Options.Barred = barred(h, state.Reservations, len(nodes), clock)
		}
		if !a.multifactor() {
			jobs[i].Priority = float64(len(window) - i)
		}
	}
	choosePartitions(window, jobs, nodes, licences)
	if a.options.Decider == nil {
		for i, h := range window {
			jobs[i].Options.Licences = slices.Concat(jobs[i].Options.Licences, h.limits())
		}
	}
	if a.options.Reading == auction.ReadLiteral && !a.multifactor() {
		asSubmitted(jobs, window)
	}
	s := auction.Snapshot{
		Nodes: nodes, Jobs: jobs, Weighted: a.multifactor(), Reading: a.options.Reading, Licences: licences,
		Running: a.holdings(state, now), Now: now,
	}
	a.guard.Mark(s)
	return s, window
}

// asSubmitted sets priorities that differ as those of priority/basic do. Each submitted job gets one less than the job
// before it (priority_p_set in src/plugins/priority/basic/priority_basic.c), so jobs that have started leave gaps. A job
// that comes later in the order than its number says, as by a nice value, is one below the job before it.
func asSubmitted(jobs []bidding.Job, window []HeldJob) {
	for i, h := range window {
		jobs[i].Priority = -float64(h.ID)
		if i > 0 {
			jobs[i].Priority = min(jobs[i].Priority, jobs[i-1].Priority-1)
		}
	}
}

// choices are what the program chooses among; bids are for one number of nodes each.
func (a *Agent) choices() bidding.Choices {
	if a.options.Decider != nil {
		return a.options.Decider.Choices()
	}
	return bidding.Choices{GPUs: true, Alternatives: true}
}

// reportNarrowed records what the program is not told of a job of the window, once.
func (a *Agent) reportNarrowed(window []HeldJob, nodes []machine.Node, record *trace.Cycle) {
	for _, h := range window {
		_, lost := a.choices().Narrow(h.Request, nodes)
		record.Narrowed = append(record.Narrowed, a.newlyNarrowed(h, lost)...)
	}
}

// takesPart says that a held job may be in the window.
func (a *Agent) takesPart(h HeldJob) bool { return h.Obstacle == "" && !h.ByOwner && !a.early(h) }

// early says that the job wants to begin later (--begin).
func (a *Agent) early(h HeldJob) bool { return a.options.Now != nil && h.Begin.After(a.options.Now()) }

// report records the obstacles that are new. Of a job that its owner holds, or that is
// gone, none is remembered.
func (a *Agent) report(held []HeldJob, record *trace.Cycle) {
	told := make(map[int]string)
	a.hindered = trace.Hindered{}
	for _, h := range held {
		if h.ByOwner {
			a.hindered.ByOwner = append(a.hindered.ByOwner, h.Job)
			continue
		}
		if h.Obstacle != a.obstacles[h.ID] {
			record.Unplaced = append(record.Unplaced, trace.Refusal{Job: h.Job, Reason: h.Obstacle})
		}
		if h.Obstacle != "" {
			told[h.ID] = h.Obstacle
			a.hindered.Obstacles = append(a.hindered.Obstacles, trace.Refusal{Job: h.Job, Reason: h.Obstacle})
		}
	}
	a.obstacles = told
}

// Hindered returns the jobs that the last cycle found hindered.
func (a *Agent) Hindered() trace.Hindered { return a.hindered }
