package agent

import (
	"maps"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// occupation is what a job of the agent's holds until it reaches its time limit.
type occupation struct {
	bid   auction.Bid
	begin time.Duration // by the time of Cycle
	limit time.Duration // 0 without one
}

// follow remembers what a flight that has landed holds. A job that Slurm placed
// otherwise than asked holds what Slurm gave it.
func (a *Agent) follow(id int, p Placement, now time.Duration) {
	f := a.flights[id]
	f.bid.Nodes, f.bid.Cores = p.Nodes, p.Cores
	a.running[id] = occupation{bid: f.bid, begin: now, limit: f.limit}
}

// occupations lists what the agent's jobs hold, running or in flight, and forgets
// those that do not run any more. Jobs without a limit have no end to wait for.
func (a *Agent) occupations(state State, now time.Duration) []auction.Occupation {
	runs := make(map[int]bool, len(state.Running))
	for _, r := range state.Running {
		runs[r.ID] = true
	}
	maps.DeleteFunc(a.running, func(id int, _ occupation) bool { return !runs[id] })
	var all []auction.Occupation
	for _, id := range slices.Sorted(maps.Keys(a.running)) {
		if o := a.running[id]; o.limit > 0 {
			all = append(all, auction.Occupation{Bid: o.bid, Remaining: o.begin + o.limit - now})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		if f := a.flights[id]; f.limit > 0 {
			all = append(all, auction.Occupation{Bid: f.bid, Remaining: f.limit})
		}
	}
	return all
}
