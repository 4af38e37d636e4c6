package agent

import (
	"context"
	"log/slog"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Settings are the agent's settings.
type Settings struct {
	// Window is the number of held jobs that take part in an auction.
	Window int
	// Patience is how many cycles a released job may take to start before it
	// is held again. It doubles each time in a row for the same job.
	Patience int
	// Remember, if not nil, is handed the jobs in flight whenever they change, and before
	// one is released. If it fails, none is.
	Remember func([]Flight) error
	// Priority is how the held jobs are ordered and weighed; empty means
	// priority.Basic, the order of submission. Multifactor needs Now and has no fair
	// share.
	Priority priority.Type
	// FairShare is the half-life of usage; 0 for no fair share. The cluster's State
	// must tell accounts.
	FairShare time.Duration
	Auction   auction.Options
	// Reading says what the priorities of the papers' programs are.
	Reading auction.Reading
	// MaxBypass is the factor of auction.Guard, 0 for no guard.
	MaxBypass float64
	// Decider decides in place of auction.Auction with the options above, if it is
	// not nil.
	Decider Decider
	// Formula, if there is one, has the agent order the queue of Slurm's own scheduler, which decides. It needs Now.
	Formula Formula
	// Heard, if not nil, gets before each decision what became of earlier decisions. Note, if not nil, may add to the
	// record of a cycle in which the Decider decided.
	Heard func(Outcomes)
	Note  func(*trace.Cycle)
	// Shrink says what a solution that took longer than SolveLimit, in real
	// time, makes smaller; empty means ShrinkNothing.
	Shrink     Shrink
	SolveLimit time.Duration
	// Dump, if not nil, is handed the result of each cycle that has a program. A
	// cycle whose Dump fails starts no job and fails itself.
	Dump func(cycle int, s auction.Snapshot, r auction.Result) error
	// Journal, if not nil, is handed what each auction decided on, after its
	// winners were released; they do not wait for it. What a Decider decides cannot
	// be played again from it.
	Journal func(journal.Entry) error
	// Now reads the clock of Slurm's own records, for Journal and Multifactor.
	Now func() time.Time
	// Log gets what went otherwise than planned; nil for nothing.
	Log *slog.Logger
}

// Outcomes are what became of decisions, by the workload's job ids.
type Outcomes struct {
	// Started jobs run.
	Started []int
	// Refused were not released, by Slurm or by the agent. Returned were released, did not
	// start, and wait again.
	Refused, Returned []trace.Refusal
}

// add takes over what a record says.
func (o *Outcomes) add(record trace.Cycle) {
	for _, p := range record.Checked {
		o.Started = append(o.Started, p.Job)
	}
	o.Refused = append(o.Refused, record.Refused...)
	o.Returned = append(append(o.Returned, record.Reheld...), record.Deferred...)
}

// Decider decides in place of an auction, as by a program of the papers. Its bids
// of class R hold only while no running job ends: before the agent releases one, it
// reads the cluster again.
type Decider interface {
	// Choices are the parts of a request among which it chooses.
	Choices() bidding.Choices
	// Decide chooses the jobs of the snapshot that start now, with at most so many
	// bids.
	Decide(ctx context.Context, s auction.Snapshot, bids int) (auction.Result, error)
	// Obstacle says why a job cannot be scheduled on the nodes, "" if it can.
	Obstacle(j bidding.Job, nodes []machine.Node) string
}
