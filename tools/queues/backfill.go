package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Settings are the SchedulerParameters of slurm.conf(5) that the model has. Times are
// whole seconds.
//
// Not modelled are bf_max_time, bf_yield_interval and bf_yield_sleep, since decisions
// take no time; bf_busy_nodes, bf_max_job_user and its like, and sched_max_job_start.
type Settings struct {
	// Interval is bf_interval, Resolution bf_resolution and Window bf_window (in minutes
	// in slurm.conf). A job that would start after the window gets no reservation; 0
	// means that all get one.
	Interval, Resolution, Window int
	// MaxJobs is bf_max_job_test, 0 for the whole queue.
	MaxJobs int
	// Reserve is bf_job_part_count_reserve: the number of jobs that get a reservation, 0
	// for all. With 1 backfill is EASY.
	Reserve int
	// Delay is the least time between two passes in order, as sched_min_interval and
	// batch_sched_delay have it.
	Delay int
}

// SettingsOf reads SchedulerParameters, of which it leaves out what the model has not. What they do not name is 0.
func SettingsOf(parameters string) (s Settings, err error) {
	delay := 0
	known := map[string]*int{
		"bf_interval": &s.Interval, "bf_resolution": &s.Resolution, "bf_window": &s.Window, "bf_max_job_test": &s.MaxJobs,
		"bf_job_part_count_reserve": &s.Reserve, "sched_min_interval": &delay,
	}
	for word := range strings.SplitSeq(parameters, ",") {
		key, value, _ := strings.Cut(word, "=")
		if to := known[key]; to != nil {
			if *to, err = strconv.Atoi(value); err != nil {
				return s, fmt.Errorf("%s: got %q, want a number", key, value)
			}
		}
	}
	// slurm.conf has the window in minutes and the delay in microseconds.
	s.Window, s.Delay = 60*s.Window, delay/1_000_000
	return s, nil
}

// Backfill is Slurm's scheduler with sched/backfill, as package backfill models it. Jobs start in order whenever a
// job arrives or ends. Every bf_interval, if anything has changed, there is a pass over the whole queue.
//
// A Backfill plays one workload.
type Backfill struct {
	settings Settings
	order    Order
	changed  bool
	seen     [2]int // jobs waiting and running after the last decision
	pass     int    // time of the next pass
	inOrder  int    // time of the next pass in order
}

// NewBackfill returns the scheduler for one workload; a nil order is the order of arrival.
func NewBackfill(s Settings, order Order) *Backfill { return &Backfill{settings: s, order: order} }

// Decide starts jobs in order, and runs a pass if it is time for one.
func (b *Backfill) Decide(_ context.Context, s State) ([]bidding.Bid, int, error) {
	if seen := [2]int{len(s.Waiting), len(s.Running)}; seen != b.seen {
		b.changed = true
	}
	again := math.MaxInt
	if b.changed {
		again = max(b.pass, s.Now+1)
	}
	if s.Now < b.inOrder && s.Now < b.pass {
		return nil, min(again, b.inOrder), nil
	}
	state, index := b.modelled(s)
	var bids []bidding.Bid
	start := func(starts []backfill.Start) {
		for _, at := range starts {
			if at.Never || at.At > state.Now {
				continue
			}
			bid := bidding.Bid{Job: index[at.Job], Allocation: at.Allocation}
			bids = append(bids, bid)
			machine.Take(state.Nodes, bid.Allocation)
			state.Running = append(state.Running, Start{Job: s.Waiting[bid.Job], Begin: s.Now, Allocation: bid.Allocation}.held())
			state.Queue = slices.DeleteFunc(state.Queue, func(waiting bidding.Job) bool { return waiting.ID == at.Job })
		}
	}
	if s.Now >= b.inOrder {
		start(backfill.InOrder(state))
		b.inOrder = s.Now + b.settings.Delay
	}
	if s.Now >= b.pass {
		if b.changed {
			options := backfill.Options{Resolution: seconds(b.settings.Resolution), Window: seconds(b.settings.Window), Reservations: b.settings.Reserve}
			count := len(state.Queue)
			if b.settings.MaxJobs > 0 {
				count = min(count, b.settings.MaxJobs)
			}
			start(backfill.Plan(state, options, count))
			b.changed = false
		}
		b.pass = s.Now + b.settings.Interval
	}
	b.seen = [2]int{len(s.Waiting) - len(bids), len(s.Running) + len(bids)}
	again = math.MaxInt
	if b.changed {
		again = b.pass
	}
	return bids, again, nil
}

// modelled is the state as the model has it, with the index in State.Waiting of each job.
func (b *Backfill) modelled(s State) (state backfill.State, index map[int]int) {
	state = backfill.State{Now: seconds(s.Now), Nodes: slices.Clone(s.Nodes), Running: slices.Clone(s.Running)}
	index = make(map[int]int, len(s.Waiting))
	for i, j := range s.Waiting {
		index[j.ID] = i
	}
	for _, j := range b.order.sorted(s) {
		state.Queue = append(state.Queue, request(j))
	}
	return state, index
}
