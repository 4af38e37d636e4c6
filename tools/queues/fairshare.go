package main

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
	"github.com/slurmlab/slurmlab/workloads"
)

// FairShare counts what the users of a workload use. Its methods take nil for
// no fair share.
type FairShare struct {
	ledger *priority.Ledger
	shares priority.Shares
	users  map[int]string // by job
}

// NewFairShare gives each user of the jobs the same share; usage decays with the
// half-life.
func NewFairShare(halfLife time.Duration, jobs []workloads.Job) *FairShare {
	shares, users := priority.Shares{}, make(map[int]string, len(jobs))
	for _, j := range jobs {
		shares[j.ChargedTo()] = 0
		users[j.ID] = j.ChargedTo()
	}
	for user := range shares {
		shares[user] = 1 / float64(len(shares))
	}
	return &FairShare{priority.NewLedger(halfLife), shares, users}
}

// window returns the waiting jobs that take part in the auction now, by index, in
// the order of their arrival or of fair share.
func (f *FairShare) window(s State, size int) []int {
	if f != nil {
		f.charge(s, nil)
		users, demand := make([]string, len(s.Waiting)), make([]float64, len(s.Waiting))
		for i, j := range s.Waiting {
			users[i], demand[i] = j.ChargedTo(), float64(j.Cores*j.Limit)
		}
		return f.ledger.Order(f.shares, users, demand, size)
	}
	first := make([]int, min(len(s.Waiting), size))
	for i := range first {
		first[i] = i
	}
	return first
}

// weight is what the job's value is multiplied by, 0 for an auction without fair
// share.
func (f *FairShare) weight(j workloads.Job) float64 {
	if f == nil {
		return 0
	}
	return f.ledger.Factor(f.shares, j.ChargedTo())
}

// charge charges the users for what ran until now, and notes what runs from now
// on, with the jobs that start.
func (f *FairShare) charge(s State, starts []bidding.Bid) {
	if f == nil {
		return
	}
	running := map[string]int{}
	for _, h := range s.Running {
		running[f.users[h.Job]] += h.TotalCores()
	}
	for _, b := range starts {
		running[s.Waiting[b.Job].ChargedTo()] += b.TotalCores()
	}
	f.ledger.Advance(seconds(s.Now), running)
}
