package agent

import (
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Settled reports whether the last cycle decided nothing and another one would decide nothing, either, until a job is
// submitted or ends, or it is the time of Next. Cycles that are left out until then change no decision, because a
// cycle depends only on the State, the jobs in flight, their patience and the solver:
//
//   - The State is the same: no job and no node was about to change by itself
//     (State.Transient) or to start (State.Pending), and the agent changed
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
//   - Where a job waits for its time (HeldJob.Begin), or reservations of Slurm keep nodes from it, Next is
//     when that may change.
//
//   - Where jobs have reservations of the auction, Next is when other jobs may have them (auction.Options.Steady). Where
//     none has, a job that becomes overdue or whose claim becomes the strongest could start nothing: it only keeps others off. Other values of
//     waiting jobs start nothing, either, where every job that fits has started.
//
// Priorities by submission are positions in the queue and do not change with time.
// Fair share and age change priorities with time. Where all jobs are in the window,
// that changes only their order, and no job can start in any order. A decision that
// deferred jobs is the exception: with other weights it might have chosen a job that
// can start, so that the agent is not settled.
//
// Changes that nobody submitted as a job, such as a node that an administrator
// resumes, are not noticed until the next job is submitted or ends.
func (a *Agent) Settled() bool { return a.settled }

// Next is when an agent that is Settled may be so no more, zero for never. It is on the clock of Options.Now.
func (a *Agent) Next() time.Time { return a.upcoming }

// quiet reports whether nothing in the cluster was about to change and the cycle changed nothing. again is the number
// of deferred jobs that the decision would defer again, which are no change. Other jobs were deferred because the
// cluster changed during the cycle.
func (a *Agent) quiet(state State, record trace.Cycle, again int) bool {
	changes := len(record.Released) + len(record.Reheld) + len(record.Refused) + len(record.Deferred) - again
	return changes == 0 && !state.Transient && len(state.Pending) == 0 && len(a.flights) == 0
}

// next is the first instant at which a job that waits for a time, its own or a reservation's, may be able to start;
// zero for none.
func (a *Agent) next(state State, jobs []bidding.Job) time.Time {
	var first time.Time
	consider := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, h := range state.Held {
		if h.Obstacle == "" && !h.ByOwner && a.early(h) {
			consider(h.Begin)
		}
	}
	if !slices.ContainsFunc(jobs, func(j bidding.Job) bool { return len(j.Options.Barred) > 0 }) {
		return first
	}
	now := a.options.Now()
	for _, r := range state.Reservations {
		for _, at := range []time.Time{r.Start, r.End} {
			if at.After(now) {
				consider(at)
			}
		}
	}
	return first
}

// steady reports whether the reservations of an auction stay the same for a while that is known, and makes Next its end if
// that is earlier.
func (a *Agent) steady(s auction.Snapshot, r auction.Result) bool {
	if len(r.Reservations()) == 0 {
		return true
	}
	if a.options.Now == nil || a.options.Decider != nil {
		return false
	}
	d := a.options.Auction.Steady(s, a.guard)
	if d < math.MaxInt64 {
		if until := a.options.Now().Add(d); a.upcoming.IsZero() || until.Before(a.upcoming) {
			a.upcoming = until
		}
	}
	return true
}

// changing reports whether other jobs may be in the window later, because fair share
// or age changes the order of a queue that is longer than the window.
func (a *Agent) changing(window int) bool {
	return (a.ledger != nil || a.multifactor()) && window == a.budget.window
}
