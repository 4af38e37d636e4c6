package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/fairshare"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/plugin-bridge/priority"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Options are the agent's settings.
type Options struct {
	// Window is the number of held jobs that take part in an auction.
	Window int
	// Patience is how many cycles a released job may take to start before it
	// is held again.
	Patience int
	// Priority is how the held jobs are ordered and weighed; empty means
	// priority.Basic, the order of submission. Multifactor needs Now and has no fair
	// share.
	Priority priority.Type
	// FairShare is the half-life of usage; 0 for no fair share. The cluster's State
	// must tell accounts.
	FairShare time.Duration
	Auction   auction.Options
	// MaxBypass is the factor of auction.Guard, 0 for no guard.
	MaxBypass float64
	// Decide decides in place of auction.Auction with the options above, if it is
	// not nil. Bids is the limit on bids for this decision.
	Decide func(ctx context.Context, s auction.Snapshot, bids int) (auction.Result, error)
	// Obstacle says, if it is not nil, why Decide cannot schedule a job; "" if it
	// can.
	Obstacle func(j auction.Job, nodes []nodeset.Node) string
	// Recheck reads the state again before winners of class R are released.
	Recheck bool
	// Shrink says what a solution that took longer than SolveLimit, in real
	// time, makes smaller; empty means ShrinkNothing.
	Shrink     Shrink
	SolveLimit time.Duration
	// Dump, if not nil, is handed the result of each cycle that has a program. A
	// cycle whose Dump fails starts no job and fails itself.
	Dump func(cycle int, s auction.Snapshot, r auction.Result) error
	// Journal, if not nil, is handed what each auction decided on, after its
	// winners were released; they do not wait for it. Decisions by Decide cannot be
	// played again from it.
	Journal func(journal.Cycle) error
	// Now reads the clock of Slurm's own records, for Journal and Multifactor.
	Now func() time.Time
}

// Agent runs cycles. It is not safe for concurrent use.
type Agent struct {
	cluster Cluster
	solver  auction.Solver
	options Options
	cycle   int
	flights map[int]flight
	// obstacles are those that were recorded, by job.
	obstacles map[int]string
	// began is the start of the run by Options.Now.
	began time.Time
	guard *auction.Guard
	// running is what verified jobs hold, by Slurm's job id.
	running map[int]occupation
	settled bool
	budget  budget
	// ledger is nil without fair share.
	ledger *fairshare.Ledger
}

// flight is a released job that has not been seen started.
type flight struct {
	bid      auction.Bid
	licences []auction.Licence
	// job is the workload's id, since the cycle of its release.
	job, since int
	limit      time.Duration
}

// New returns an agent that schedules cluster with solver, which options.Decide
// makes needless.
func New(cluster Cluster, solver auction.Solver, options Options) *Agent {
	a := &Agent{
		cluster: cluster, solver: solver, options: options, flights: map[int]flight{}, obstacles: map[int]string{},
		guard: auction.NewGuard(options.MaxBypass), running: map[int]occupation{},
		budget: newBudget(options.Window, options.Auction.MaxBids, options.Shrink, options.SolveLimit),
	}
	if options.FairShare > 0 {
		a.ledger = fairshare.NewLedger(options.FairShare)
	}
	return a
}

// Waiting is the number of released jobs whose placement is not verified yet.
func (a *Agent) Waiting() int { return len(a.flights) }

// Settled says that another cycle would decide what the last one did, nothing,
// until a job is submitted or ends. Cycles that are left out until then change
// no decision, because a cycle looks at nothing but the State, the jobs in
// flight, their patience and the solver:
//
//   - The State is the same: no job and no node was about to change by itself
//     (State.Transient) or to start (State.Pending, HeldJob.Begin), and the agent changed
//     nothing: it released, re-held and refused no job, and deferred none but
//     those that the decision itself defers and would defer again.
//
//   - No job is in flight. Patience counts cycles, but only of jobs in flight,
//     and with one of those no cycle is left out.
//
//   - The solver had no bids to choose from, or proved that none of them can
//     win. A solver that ran out of time may find more in a second try.
//
//   - The budget is the same: it shrinks only when a solver ran out of time, and
//     grows only when the cluster has changed.
//
//   - No job has a reservation, which moves with time. A job that becomes overdue
//     meanwhile could start nothing: it only keeps others off.
//
// Priorities by submission are places in the queue and do not grow with time. Fair
// share and age do, but where all jobs are in the window that only says which goes
// before another, and here none can. Only a decision that deferred jobs might, with
// other weights, have chosen one that can start. Who changes the
// cluster behind the agent's back, such as an administrator who resumes a node,
// is not noticed until the next job is submitted or ends.
func (a *Agent) Settled() bool { return a.settled }

// Cycle runs one pass and returns its record; now is virtual time since the
// start of the run. An error means that the cluster cannot be talked to any
// more; the record is then of the part that was done.
func (a *Agent) Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error) {
	a.cycle++
	a.settled = false
	if a.options.Now != nil && a.began.IsZero() {
		a.began = a.options.Now().Add(-now)
	}
	record := trace.Cycle{Cycle: a.cycle, Time: now.Seconds(), Gap: -1}
	started := time.Now()
	state, err := a.cluster.State(ctx)
	if err != nil {
		return record, fmt.Errorf("cycle %d: read state: %w", a.cycle, err)
	}
	a.prioritise(state)
	if settleErr := a.settle(ctx, state, now, &record); settleErr != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, settleErr)
	}
	if a.ledger != nil {
		a.ledger.Advance(now, state.Charged)
	}
	snapshot, window := a.snapshot(state, now)
	record.WindowLimit, record.BidLimit = a.budget.window, a.budget.bids
	a.report(state.Held, &record)
	record.SnapshotMS = milliseconds(time.Since(started))
	record.Pending, record.Window = len(state.Held), len(window)
	for _, n := range snapshot.Nodes {
		record.FreeCores += n.FreeCores
		record.FreeGPUs += n.FreeGPUs
	}
	if len(window) == 0 {
		a.settled = a.quiet(state, record, 0)
		return record, nil
	}
	solver := &journal.Recorder{Solver: a.solver}
	entry := a.entry(now, state, snapshot)
	result, err := a.decide(ctx, snapshot, solver)
	if err != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, err)
	}
	a.budget.learn(result.Assignment.Status, result.Phases.Solve)
	describe(result, window, &record)
	if a.options.Dump != nil && result.Size.Columns > 0 {
		if err = a.options.Dump(a.cycle, snapshot, result); err != nil {
			return record, fmt.Errorf("cycle %d: dump program: %w", a.cycle, err)
		}
	}
	releasing := time.Now()
	winners, err := a.recheck(ctx, result.Ordered, window, state, &record)
	if err == nil {
		err = a.release(ctx, winners, window, state.Nodes, &record)
	}
	record.ReleaseMS = milliseconds(time.Since(releasing))
	if a.options.Journal != nil {
		entry.Selections = solver.Selections
		err = cmp.Or(err, a.options.Journal(entry))
	}
	if err != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, err)
	}
	// Without a winner there was no bid at all, or the solver gave up: each bid
	// alone is feasible and worth more than none. So the rounds before the
	// final program need no proof of their own.
	again := len(result.Deferred)
	if a.multifactor() {
		again = 0
	}
	a.settled = a.quiet(state, record, again) && result.Assignment.Gap() == 0 && result.Reservation == nil && !a.changing(len(window))
	return record, nil
}

// decide asks the policy: an auction by solver, or another one.
func (a *Agent) decide(ctx context.Context, s auction.Snapshot, solver auction.Solver) (auction.Result, error) {
	if a.options.Decide != nil {
		return a.options.Decide(ctx, s, a.budget.bids)
	}
	o := a.options.Auction
	o.MaxBids = a.budget.bids
	return auction.Auction(ctx, s, o, solver)
}

// quiet says that neither the cluster nor the agent was changing anything. Of the
// deferred jobs those that the decision would defer again, whatever the time, are
// counted; others were because the cluster changed.
func (a *Agent) quiet(state State, record trace.Cycle, again int) bool {
	changes := len(record.Released) + len(record.Reheld) + len(record.Refused) + len(record.Deferred) - again
	return changes == 0 && !state.Transient && !slices.ContainsFunc(state.Held, a.early) && len(state.Pending) == 0 && len(a.flights) == 0
}

// changing says that in time other jobs may be in the window by fair share or age
// alone.
func (a *Agent) changing(window int) bool {
	return (a.ledger != nil || a.multifactor()) && window == a.budget.window
}

// settle decides about every job in flight: it waits, goes back to the window,
// or has started and is compared with its plan.
func (a *Agent) settle(ctx context.Context, state State, now time.Duration, record *trace.Cycle) error {
	held := make(map[int]string, len(state.Held))
	for _, h := range state.Held {
		held[h.ID] = h.Reason
	}
	var started []int
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		f := a.flights[id]
		reason, isHeld := held[id]
		switch {
		case isHeld:
			delete(a.flights, id)
			record.Reheld = append(record.Reheld, trace.Refusal{Job: f.job, Reason: "held by Slurm: " + reason})
		case !slices.Contains(state.Pending, id):
			started = append(started, id)
		case a.cycle-f.since >= a.options.Patience:
			if err := a.hold(ctx, id, f, record); err != nil {
				return err
			}
		}
	}
	if len(started) == 0 {
		return nil
	}
	placements, err := a.cluster.Placements(ctx, started)
	if err != nil {
		return fmt.Errorf("read placements: %w", err)
	}
	for _, id := range started {
		p, known := placements[id]
		record.Checked = append(record.Checked, compare(a.flights[id], p, known, state.Nodes))
		if known {
			a.follow(id, p, now)
		}
		delete(a.flights, id)
	}
	return nil
}

// hold takes a job that did not start in time back. The job stays in flight
// when Slurm refuses, since then it has probably just started.
func (a *Agent) hold(ctx context.Context, id int, f flight, record *trace.Cycle) error {
	err := a.cluster.Hold(ctx, id)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil:
		return fmt.Errorf("hold job %d: %w", id, err)
	}
	delete(a.flights, id)
	record.Reheld = append(record.Reheld, trace.Refusal{
		Job: f.job, Reason: fmt.Sprintf("not started %d cycles after its release", a.cycle-f.since),
	})
	return nil
}

// release hands the winners to Slurm, in order. After a refusal the remaining
// winners still go, since each was planned on resources of its own; but those
// of class R stay held, whose layout is what all winners before them leave.
func (a *Agent) release(ctx context.Context, winners []auction.Bid, window []HeldJob, nodes []nodeset.Node, record *trace.Cycle) error {
	for _, bid := range winners {
		h := window[bid.Job]
		if bid.Class == auction.ClassR && len(record.Refused) > 0 {
			record.Deferred = append(record.Deferred, trace.Refusal{Job: h.Name, Reason: "a job released before it was refused"})
			continue
		}
		request := bid.Request()
		plan := Plan{
			Nodes: bid.Nodes, Tasks: request.Tasks,
			TasksPerNode: request.TasksPerNode, MinCores: request.MinCores,
		}
		if h.Request.MaxGPUs > 0 || len(h.Request.Alternatives) > 0 {
			plan.GPUs = bid.GPUs
		}
		err := a.cluster.Release(ctx, h.ID, plan)
		var refused *RefusedError
		switch {
		case errors.As(err, &refused):
			record.Refused = append(record.Refused, trace.Refusal{Job: h.Name, Reason: refused.Message})
			continue
		case err != nil:
			return fmt.Errorf("release job %d: %w", h.Name, err)
		}
		a.flights[h.ID] = flight{bid: bid, licences: h.Request.Options.Licences, job: h.Name, since: a.cycle, limit: h.Request.TimeLimit}
		record.Released = append(record.Released, trace.Release{
			Job: h.Name, Slurm: h.ID, Class: bid.Class.String(), Nodes: hostlistOf(bid.Nodes, nodes),
			Cores: auction.RunLength(bid.Cores), GPUs: bid.GPUs,
		})
	}
	return nil
}
