package agent

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Agent runs cycles. It is not safe for concurrent use.
type Agent struct {
	cluster Cluster
	solver  auction.Solver
	options Settings
	cycle   int
	flights map[int]releasedJob
	// reheld counts how often in a row a job was held again for not starting, by Slurm's
	// job id.
	reheld map[int]int
	// obstacles are those that were recorded already, by Slurm's job id.
	obstacles map[int]string
	// capped has Slurm's reason for each job that a limit kept waiting after its release, until a job ends, by Slurm's job id.
	capped map[int]string
	// narrowed are the texts of trace.Cycle.Narrowed that were recorded, by Slurm's job id.
	narrowed map[int]string
	hindered trace.Hindered
	// began is the start of the run by Options.Now.
	began time.Time
	guard *auction.Guard
	// running is what the agent's jobs hold whose placement is verified, by Slurm's
	// job id.
	running map[int]machine.Holding
	// pace knows how long jobs ran, and started when all those that run did, by Slurm's job id.
	pace    auction.Pace
	started map[int]time.Time
	// withheld are the jobs of Withhold since the last cycle.
	withheld []trace.Refusal
	// outcomes are those that Options.Heard has not been told.
	outcomes Outcomes
	settled  bool
	upcoming time.Time
	budget   budget
	// ledger is nil without fair share, and before the first cycle.
	ledger *priority.Ledger
}

// New returns an agent that schedules a cluster. solver solves the auctions; it may be nil if options.Decider
// decides.
func New(cluster Cluster, solver auction.Solver, options Settings) *Agent {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	a := &Agent{
		cluster: cluster, solver: solver, options: options, flights: map[int]releasedJob{}, reheld: map[int]int{}, obstacles: map[int]string{}, capped: map[int]string{}, narrowed: map[int]string{},
		guard: auction.NewGuard(options.MaxBypass), running: map[int]machine.Holding{},
		budget: newBudget(options.Window, options.Auction.Bids.MaxBids, options.Shrink, options.SolveLimit),
	}
	return a
}

// Waiting is the number of released jobs whose placement is not verified yet.
func (a *Agent) Waiting() int { return len(a.flights) }

// Cycle runs one pass and returns its record; now is virtual time since the
// start of the run. An error means that the cluster cannot be talked to any
// more; the record is then of the part that was done.
func (a *Agent) Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error) {
	record, err := a.pass(ctx, now)
	if err != nil {
		record.Error = err.Error()
	}
	a.log(record)
	return record, err
}

func (a *Agent) pass(ctx context.Context, now time.Duration) (trace.Cycle, error) {
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
	a.ends(state)
	record.Deferred, a.withheld = a.withheld, nil
	a.prioritise(state)
	before := len(a.flights)
	settleErr := a.settle(ctx, state, now, &record)
	if len(a.flights) != before {
		settleErr = cmp.Or(settleErr, a.remember())
	}
	if settleErr != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, settleErr)
	}
	a.forget(state)
	if a.ledger == nil && a.options.FairShare > 0 {
		a.ledger = priority.NewLedger(a.options.FairShare)
		a.ledger.Add(state.Used)
	}
	if a.ledger != nil {
		a.ledger.Advance(now, state.Charged)
	}
	if !a.options.Formula.none() {
		a.report(state.Held, &record)
		record.Pending, record.SnapshotMS = len(state.Held)+len(state.Waiting), milliseconds(time.Since(started))
		releasing := time.Now()
		if err = a.order(ctx, state, now, &record); err != nil {
			err = fmt.Errorf("cycle %d: %w", a.cycle, err)
		}
		record.ReleaseMS = milliseconds(time.Since(releasing))
		return record, err
	}
	snapshot, window := a.snapshot(state, now)
	record.WindowLimit, record.BidLimit = a.budget.window, a.budget.bids
	a.report(state.Held, &record)
	a.reportNarrowed(window, state.Nodes, &record)
	record.SnapshotMS = milliseconds(time.Since(started))
	record.Pending, record.Window = len(state.Held), len(window)
	for _, n := range snapshot.Nodes {
		record.FreeCores += n.FreeCores
		record.FreeGPUs += n.FreeGPUs
	}
	a.note(record)
	a.upcoming = a.next(state, snapshot.Jobs)
	if len(window) == 0 {
		a.settled = a.quiet(state, record, 0)
		return record, nil
	}
	if a.options.Heard != nil {
		a.options.Heard(a.outcomes)
		a.outcomes = Outcomes{}
	}
	solver := &journal.Recorder{Solver: a.solver}
	entry := a.entry(state, snapshot)
	result, err := a.decide(ctx, snapshot, solver)
	if err != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, err)
	}
	a.budget.learn(result.Assignment.Status, result.Phases.Solve)
	describe(result, window, &record)
	if a.options.Note != nil {
		a.options.Note(&record)
	}
	if a.options.Dump != nil && result.Size.Columns > 0 {
		if err = a.options.Dump(a.cycle, snapshot, result); err != nil {
			return record, fmt.Errorf("cycle %d: dump program: %w", a.cycle, err)
		}
	}
	releasing, deferred := time.Now(), len(record.Deferred)
	winners := result.Ordered
	if a.options.Decider != nil {
		winners = withinLimits(winners, window, snapshot.Licences, &record)
	}
	winners, err = a.recheck(ctx, winners, window, state, &record)
	if err == nil {
		err = a.release(ctx, winners, window, state.Nodes, &record)
	}
	record.ReleaseMS = milliseconds(time.Since(releasing))
	a.note(trace.Cycle{Refused: record.Refused, Deferred: record.Deferred[deferred:]})
	if a.options.Journal != nil {
		entry.Selections = solver.Selections
		err = cmp.Or(err, a.options.Journal(entry))
	}
	if err != nil {
		return record, fmt.Errorf("cycle %d: %w", a.cycle, err)
	}
	// Each bid alone is feasible and worth more than none. So where nothing won
	// there was no bid, or the solver gave up, which its gap shows; the program of the
	// rigid jobs alone needs no proof of its own.
	again := len(result.Deferred)
	if a.multifactor() {
		again = 0
	}
	a.settled = a.quiet(state, record, again) && result.Assignment.Gap() == 0 && a.steady(snapshot, result) && !a.changing(len(window))
	return record, nil
}

// note keeps what a part of a record says of earlier decisions, for Options.Heard.
func (a *Agent) note(part trace.Cycle) {
	if a.options.Heard != nil {
		a.outcomes.add(part)
	}
}

// decide asks the policy: an auction by solver, or another one.
func (a *Agent) decide(ctx context.Context, s auction.Snapshot, solver auction.Solver) (auction.Result, error) {
	if a.options.Decider != nil {
		return a.options.Decider.Decide(ctx, s, a.budget.bids)
	}
	o := a.options.Auction
	o.Bids.MaxBids = a.budget.bids
	return auction.Auction(ctx, s, o, solver)
}
