package main

import (
	"context"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// cell is one window played under one policy, a line of the results.
type cell struct {
	Queue   string  `json:"queue"`
	Window  uint64  `json:"window"`
	Load    float64 `json:"load"`
	Policy  string  `json:"policy"`
	Chooses bool    `json:"chooses"`
	figures
	// RealSeconds is how long the rehearsal or the run took.
	RealSeconds float64 `json:"real_s"`
	// Settings of the policy, in a line.
	Settings string `json:"settings,omitempty"`
	// Build is the version of slurmlab whose code played the cell or made the run. Slurm is the version of a run's
	// Slurm. Cells that are older than these fields lack them.
	Build string `json:"build,omitempty"`
	Slurm string `json:"slurm,omitempty"`
}

// figures are metrics of docs/metrics.md, but for Busy and Arrival.
type figures struct {
	Jobs            int     `json:"jobs"`
	Waiting         float64 `json:"waiting_s"`
	Longest         float64 `json:"longest_wait_s"`
	BoundedSlowdown float64 `json:"bounded_slowdown"`
	Utilisation     float64 `json:"cpu_utilization"`
	// Packing is 0 in cells that are older than it.
	Packing float64 `json:"packing,omitempty"`
	// Busy is the part of all cores in use while jobs arrive, 0 where all arrive at once.
	Busy float64 `json:"busy"`
	// Fairness is that over users, 0 where there are fewer than two.
	Fairness float64 `json:"user_fairness"`
	// WorstUser is the largest mean bounded slowdown of a user, 0 where there are fewer than two.
	WorstUser float64 `json:"worst_user"`
	// Arrival is nil in cells that are older than it, and where there are fewer than two users.
	Arrival *arrival `json:"arrival,omitempty"`
}

// scheduler makes the policy for one window.
func (p policyEntry) scheduler() Scheduler {
	if p.Backfill != nil {
		var order Order
		switch {
		case p.ByValue:
			order = ByValue
		case p.weights != nil:
			order = Multifactor(*p.weights)
		}
		return NewBackfill(p.model, order)
	}
	d := policy.DefaultParameters()
	rule := p.Auction.Rule.rule()
	var solver auction.Solver = packing.QuickSolver{}
	if !p.Auction.has(partSolver) {
		solver = auctiontest.Greedy{}
	}
	if !p.Auction.has(partReservations) {
		rule.Drain = 0
	}
	return &Auction{
		Window: d.Window, Interval: p.Auction.Interval, Steady: !p.Auction.has(partPace), Guard: auction.NewGuard(p.Auction.bypass()), Solver: solver,
		Options: auction.Options{Objective: p.Auction.Objective, Rule: &rule, Bids: bidding.BidOptions{
			MaxBidsPerJob: d.MaxBidsPerJob, MaxBids: d.MaxBids, SlurmBids: d.SlurmBids && p.Auction.has(partQueueBids),
			Remainders: d.RemainderBids && p.Auction.has(partClassR), FewestNodes: p.Auction.FewestNodes,
		}},
	}
}

// playWindow plays one window.
func playWindow(ctx context.Context, m workloads.Machine, jobs []workloads.Job, s Scheduler) (figures, error) {
	starts, err := Play(ctx, m, jobs, s)
	if err != nil {
		return figures{}, err
	}
	return measure(m, starts), nil
}

// measure computes the figures of a schedule.
func measure(m workloads.Machine, starts []Start) figures {
	finished := make([]trace.FinishedJob, len(starts))
	for i, s := range starts {
		finished[i] = trace.FinishedJob{Job: s.Job, Submit: float64(s.Job.Arrival), Start: float64(s.Begin), Finish: float64(s.End), AllocCores: s.TotalCores(), Allocated: s.Nodes}
	}
	return figuresOf(m, finished)
}

// figuresOf computes the figures of jobs that have all started.
func figuresOf(m workloads.Machine, jobs []trace.FinishedJob) figures {
	f := figures{Jobs: len(jobs)}
	var work, busy, end, last float64
	for _, j := range jobs {
		end, last = max(end, j.Finish), max(last, j.Submit)
	}
	for _, j := range jobs {
		f.Waiting += j.Waiting() / float64(len(jobs))
		f.Packing += metric.Packing(m, j) / float64(len(jobs))
		f.Longest = max(f.Longest, j.Waiting())
		work += float64(j.AllocCores) * j.Execution()
		busy += float64(j.AllocCores) * max(0, min(j.Finish, last)-j.Start)
	}
	all := float64(m.Nodes * m.Cores)
	f.Utilisation = work / all / end
	if last > 0 {
		f.Busy = busy / all / last
	}
	served := metric.Served(jobs)
	f.BoundedSlowdown = served.BoundedSlowdown
	if served.Fairness != nil {
		f.Fairness, f.WorstUser = *served.Fairness, *served.WorstUser
		a := arrivalOf(m, jobs)
		f.Arrival = &a
	}
	return f
}
