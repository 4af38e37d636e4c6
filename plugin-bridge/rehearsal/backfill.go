package rehearsal

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
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
func (b *Backfill) Decide(_ context.Context, s State) ([]auction.Bid, int, error) {
	if seen := [2]int{len(s.Waiting), len(s.Running)}; seen != b.seen {
		b.changed = true
	}
	state := modelled(s)
	index := make(map[int]int, len(s.Waiting))
	for i, j := range s.Waiting {
		index[j.ID] = i
	}
	var bids []auction.Bid
	start := func(starts []backfill.Start) {
		for _, at := range starts {
			if at.Never || at.At > state.Now {
				continue
			}
			j := s.Waiting[index[at.Job]]
			bid := auction.Bid{Job: index[at.Job], Nodes: at.Nodes, Cores: at.Cores, GPUs: j.GPUsMin}
			bids = append(bids, bid)
			take(state.Nodes, bid, 1)
			state.Running = append(state.Running, running(Start{Job: j, Begin: s.Now, Bid: bid}))
			state.Queue = slices.DeleteFunc(state.Queue, func(waiting auction.Job) bool { return waiting.ID == at.Job })
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
	state := backfill.State{Now: seconds(s.Now), Nodes: slices.Clone(s.Nodes)}
	for _, r := range s.Running {
		state.Running = append(state.Running, running(r))
	}
	for _, j := range s.Waiting {
		state.Queue = append(state.Queue, request(j))
	}
	return state
}

func running(r Start) journal.Running {
	return journal.Running{Job: r.Job.ID, Nodes: r.Bid.Nodes, Cores: r.Bid.Cores, GPUs: r.Bid.GPUs, End: seconds(r.limit())}
}
