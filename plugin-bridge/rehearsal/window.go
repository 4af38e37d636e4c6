package rehearsal

import (
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/fairshare"
	"github.com/slurmlab/slurmlab/workloads"
)

// window returns the waiting jobs that take part in the auction now, in the order
// of their arrival or of fair share.
func (p *play) window() []workloads.Job {
	arrived := p.waiting
	for i, j := range p.waiting {
		if j.Arrival > p.now {
			arrived = p.waiting[:i]
			break
		}
	}
	if p.ledger == nil {
		return arrived[:min(len(arrived), p.options.Window)]
	}
	p.charge()
	users, demand := make([]string, len(arrived)), make([]float64, len(arrived))
	for i, j := range arrived {
		users[i], demand[i] = j.User, float64(j.Cores*j.Limit)
	}
	var window []workloads.Job
	for _, at := range p.ledger.Order(p.shares, users, demand, p.options.Window) {
		window = append(window, arrived[at])
	}
	return window
}

// charge charges the users for what ran until now, and notes what runs from now on.
func (p *play) charge() {
	if p.ledger == nil {
		return
	}
	running := map[string]int{}
	for _, r := range p.running {
		running[r.Job.User] += r.Job.Cores
	}
	p.ledger.Advance(time.Duration(p.now)*time.Second, running)
}

// equalShares gives every user of the jobs the same part.
func equalShares(jobs []workloads.Job) fairshare.Shares {
	shares := fairshare.Shares{}
	for _, j := range jobs {
		shares[j.User] = 0
	}
	for user := range shares {
		shares[user] = 1 / float64(len(shares))
	}
	return shares
}
