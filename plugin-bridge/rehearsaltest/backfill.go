package rehearsaltest

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// The settings of slurm.conf.tmpl.
const (
	backfillInterval   = 30
	backfillResolution = time.Minute
)

// Backfill is Slurm's scheduler with sched/backfill, as package backfill models
// it, and the settings of slurm.conf.tmpl: jobs start in order whenever a job
// arrives or ends, and every bf_interval, if anything has changed, there is a pass
// over the whole queue.
//
// A Backfill plays one workload.
type Backfill struct {
	changed bool
	seen    [2]int // jobs waiting and running after the last decision
	pass    int    // time of the next pass
}

// Decide starts jobs in order, and runs a pass if it is time for one.
func (b *Backfill) Decide(_ context.Context, s State) ([]bidding.Bid, int, error) {
	if seen := [2]int{len(s.Waiting), len(s.Running)}; seen != b.seen {
		b.changed = true
	}
	state := modelled(s)
	index := make(map[int]int, len(s.Waiting))
	for i, j := range s.Waiting {
		index[j.ID] = i
	}
	var bids []bidding.Bid
	start := func(starts []backfill.Start) {
		for _, at := range starts {
			if at.Never || at.At > state.Now {
				continue
			}
			j := s.Waiting[index[at.Job]]
			bid := bidding.Bid{Job: index[at.Job], Allocation: at.Allocation}
			bids = append(bids, bid)
			machine.Take(state.Nodes, bid.Allocation)
			state.Running = append(state.Running, Start{Job: j, Begin: s.Now, Allocation: bid.Allocation}.held())
			state.Queue = slices.DeleteFunc(state.Queue, func(waiting bidding.Job) bool { return waiting.ID == at.Job })
		}
	}
	start(backfill.InOrder(state))
	if s.Now >= b.pass {
		if b.changed {
			start(backfill.Plan(state, backfill.Options{Resolution: backfillResolution}, len(state.Queue)))
			b.changed = false
		}
		b.pass = s.Now + backfillInterval
	}
	b.seen = [2]int{len(s.Waiting) - len(bids), len(s.Running) + len(bids)}
	again := math.MaxInt
	if b.changed {
		again = b.pass
	}
	return bids, again, nil
}

// modelled is the state as the model has it.
func modelled(s State) backfill.State {
	state := backfill.State{Now: seconds(s.Now), Nodes: slices.Clone(s.Nodes), Running: slices.Clone(s.Running)}
	for _, j := range s.Waiting {
		state.Queue = append(state.Queue, request(j))
	}
	return state
}
