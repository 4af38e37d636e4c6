package plugin

import (
	"context"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// notStartedInTrial is why a start is returned.
const notStartedInTrial = "the recorded run did not start it"

// teller asks a program, and tells it what changed between the recorded snapshots and what
// became of its starts.
type teller struct {
	program Program
	limit   time.Duration
	history History
	// alive says that the program has said hello and answered since.
	alive bool
	// released are the jobs that the last answer started.
	released []int
}

// ask puts the question about a snapshot and returns its number, 0 if the program did not
// come as far as that.
func (t *teller) ask(ctx context.Context, s auction.Snapshot) (number int, answer Answer, fault *Fault) {
	for _, job := range t.released {
		t.history.Became(outcome(job, s))
	}
	t.released = nil
	question := t.history.Question(s)
	if !t.alive {
		if _, fault = Greet(ctx, t.program, t.limit); fault != nil {
			return 0, answer, fault
		}
		question = Forget(question)
	}
	t.history.Telling(question)
	answer, fault = Put(ctx, t.program, question, t.limit)
	t.alive = fault == nil
	return question.Number, answer, fault
}

// judged takes over what was made of the answer to a snapshot.
func (t *teller) judged(s auction.Snapshot, bids []bidding.Bid, faults []Fault) {
	for _, b := range bids {
		t.released = append(t.released, s.Jobs[b.Job].ID)
	}
	t.history.Refuse(faults)
}

// outcome is what became of a start by the next recorded snapshot. In the recorded run
// another scheduler decided, so that the job may wait there, as one does that Slurm returned.
func outcome(job int, next auction.Snapshot) Result {
	if slices.ContainsFunc(next.Jobs, func(j bidding.Job) bool { return j.ID == job }) {
		return Result{Job: job, Outcome: Returned, Reason: notStartedInTrial}
	}
	return Result{Job: job, Outcome: Started}
}
