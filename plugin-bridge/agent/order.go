package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// WaitingJob is a job that the agent has released to Slurm's own scheduler, and its priority there.
type WaitingJob struct {
	HeldJob
	Priority int
}

// order is a cycle under a Formula: it gives all waiting jobs priorities in the order of the formula, and releases those that are
// held. Slurm's own scheduler does the rest, and starts jobs at any time.
func (a *Agent) order(ctx context.Context, state State, now time.Duration, record *trace.Cycle) error {
	queue := slices.Clone(state.Waiting)
	for _, h := range state.Held {
		if a.takesPart(h) {
			queue = append(queue, WaitingJob{HeldJob: h})
		}
	}
	record.Window = len(queue)
	scores, err := a.scores(queue, state, now)
	if err != nil {
		return err
	}
	for i, w := range queue {
		if math.IsNaN(scores[i]) {
			record.Narrowed = append(record.Narrowed, a.newlyNarrowed(w.HeldJob, "the formula gives no number; the job is the last in the queue")...)
			scores[i] = math.Inf(-1)
		}
	}
	place := make([]int, len(queue))
	for i := range place {
		place[i] = i
	}
	// Slurm's ids are in the order of submission.
	slices.SortFunc(place, func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(queue[i].ID, queue[j].ID))
	})
	had := make([]int, len(queue))
	for k, i := range place {
		had[k] = queue[i].Priority
	}
	for k, to := range ranked(had) {
		if to == had[k] {
			continue
		}
		err := a.cluster.Rank(ctx, queue[place[k]].ID, to, had[k] == 0)
		var refused *slurmctl.RefusedError
		switch {
		case errors.As(err, &refused):
			record.Refused = append(record.Refused, trace.Refusal{Job: queue[place[k]].Job, Reason: refused.Message})
			continue
		case err != nil:
			return fmt.Errorf("set priority of job %d: %w", queue[place[k]].Job, err)
		}
		record.Ranked++
	}
	a.upcoming = a.next(state, nil)
	a.settled = record.Ranked == 0 && len(record.Refused) == 0 && !state.Transient && (!a.options.Formula.waits || len(queue) < 2)
	return nil
}

// scores are the numbers of the formula.
func (a *Agent) scores(queue []WaitingJob, state State, now time.Duration) ([]float64, error) {
	s := auction.Snapshot{Nodes: state.Nodes, Jobs: make([]bidding.Job, len(queue)), Now: now}
	submitted := make([]float64, len(queue))
	for i, w := range queue {
		s.Jobs[i] = w.Request
		s.Jobs[i].ID = w.Job
		s.Jobs[i].Waited = max(0, a.options.Now().Sub(w.Submit))
		submitted[i] = max(0, w.Submit.Sub(a.began).Seconds())
	}
	return a.options.Formula.scores(s, submitted, a.options.Auction)
}

// newlyNarrowed is the record of what is not as a job asks, once.
func (a *Agent) newlyNarrowed(h HeldJob, lost string) []trace.Refusal {
	if lost == "" || a.narrowed[h.ID] == lost {
		return nil
	}
	a.narrowed[h.ID] = lost
	return []trace.Refusal{{Job: h.Job, Reason: lost}}
}
