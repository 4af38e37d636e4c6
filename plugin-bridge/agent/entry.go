package agent

import (
	"maps"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
)

// entry makes the journal's entry of a cycle. It is made before the winners of the
// auction are released, because they are in flight from then on.
func (a *Agent) entry(state State, s auction.Snapshot) journal.Entry {
	if a.options.Journal == nil {
		return journal.Entry{}
	}
	c := journal.Entry{Cycle: a.cycle, Snapshot: s, Options: a.options.Auction}
	c.Options.Clock, c.Options.Arrange, c.Options.Bids.MaxBids = nil, nil, a.budget.bids
	for _, r := range state.Running {
		h := r.Holding
		if own, verified := a.running[r.ID]; verified && slices.Equal(own.Nodes, r.Nodes) {
			h.Cores = own.Cores
		}
		if r.Limit > 0 {
			h.End = r.Started.Add(r.Limit).Sub(a.began).Round(time.Second / 2)
		}
		c.Running = append(c.Running, h)
	}
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		h := a.flights[id].startedAt(s.Now)
		h.End = h.End.Round(time.Second / 2)
		c.Running = append(c.Running, h)
	}
	// With fair share the jobs of the window are not the first ones of the queue.
	inside := make(map[int]bool, len(s.Jobs))
	for _, j := range s.Jobs {
		inside[j.ID] = true
	}
	for _, h := range state.Held {
		if a.takesPart(h) && !inside[h.Job] {
			c.Outside = append(c.Outside, h.Job)
		}
	}
	return c
}
