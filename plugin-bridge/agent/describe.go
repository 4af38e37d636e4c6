package agent

import (
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/trace"
)

// describe copies the auction's numbers into the record.
func describe(result auction.Result, window []HeldJob, record *trace.Cycle) {
	record.BidsMS = milliseconds(result.Phases.Bids)
	record.SolveMS = milliseconds(result.Phases.Solve + result.Phases.Order)
	record.Bids, record.BidsCut, record.Rearranged = result.Size.Bids, result.Dropped, result.Rearranged
	record.Rows, record.Columns, record.NonZero = result.Size.Rows, result.Size.Columns, result.Size.NonZeros
	record.Solver, record.SolverCause = string(result.Assignment.Status), result.Assignment.Cause
	record.Gap, record.Objective = result.Assignment.Gap(), result.Assignment.Objective
	for _, p := range result.Assignment.Phases {
		phase := trace.SolverPhase{Name: p.Name, MS: milliseconds(p.Time), Work: p.Work, Objective: p.Objective, Bound: -1}
		if !math.IsInf(p.Bound, 1) {
			phase.Bound = p.Bound
		}
		record.Phases = append(record.Phases, phase)
	}
	if result.Reservation != nil {
		record.Reserved = window[result.Reservation.Bid.Job].Job
	}
	record.Lost = losses(result, window)
	for _, d := range result.Deferred {
		record.Deferred = append(record.Deferred, trace.Refusal{Job: window[d.Bid.Job].Job, Reason: d.Reason})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
