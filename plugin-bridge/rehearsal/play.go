package rehearsal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/fairshare"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/workloads"
)

// Start is a job that ran. Times are seconds since the start of the workload.
type Start struct {
	Job        workloads.Job
	Begin, End int
	Bid        auction.Bid
}

// Options are the parameters of a rehearsal.
type Options struct {
	// Window is the number of waiting jobs that take part in an auction.
	Window  int
	Auction auction.Options
	Solver  auction.Solver
	// FairShare is the half-life of usage; 0 for no fair share. Each user has the
	// same share.
	FairShare time.Duration
}

// Play runs the jobs on the machine and returns them in the order of their ends.
// The error is that of an auction, or names how many jobs no auction starts on
// the idle machine.
func Play(ctx context.Context, m workloads.Machine, jobs []workloads.Job, o Options) ([]Start, error) {
	p := play{options: o, waiting: slices.Clone(jobs)}
	levels := m.Switches.Levels(m.Nodes)
	for i := range m.Nodes {
		n := nodeset.Node{Name: fmt.Sprintf("n%d", i+1), Cores: m.Cores, GPUs: m.GPUs, FreeCores: m.Cores, FreeGPUs: m.GPUs}
		for _, size := range levels {
			n.Switches = append(n.Switches, i/size)
		}
		p.nodes = append(p.nodes, n)
	}
	if o.FairShare > 0 {
		p.ledger, p.shares = fairshare.NewLedger(o.FairShare), equalShares(jobs)
	}
	slices.SortStableFunc(p.waiting, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	var ended []Start
	for len(p.waiting)+len(p.running) > 0 {
		if err := p.decide(ctx); err != nil {
			return nil, fmt.Errorf("rehearse %d s: %w", p.now, err)
		}
		next := p.next()
		if next == math.MaxInt {
			return nil, fmt.Errorf("rehearse %d s: %d jobs do not start on the idle machine", p.now, len(p.waiting))
		}
		p.now = next
		ended = append(ended, p.end()...)
	}
	return ended, nil
}

type play struct {
	options Options
	ledger  *fairshare.Ledger // nil without fair share
	shares  fairshare.Shares
	now     int
	nodes   []nodeset.Node
	waiting []workloads.Job // by arrival
	running []Start
}

// decide runs one auction and starts the winners.
func (p *play) decide(ctx context.Context) error {
	s := auction.Snapshot{Nodes: p.nodes}
	window := p.window()
	for i, j := range window {
		job := auction.Job{
			ID: j.ID, Priority: float64(-i), Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode,
			GPUs: j.GPUsMin, MaxGPUs: j.GPUsMax, Contiguous: j.Contiguous,
			TimeLimit: time.Duration(j.Limit) * time.Second,
		}
		if p.ledger != nil {
			job.Weight = p.ledger.Factor(p.shares, j.User)
		}
		s.Jobs = append(s.Jobs, job)
	}
	r, err := auction.Auction(ctx, s, p.options.Auction, p.options.Solver)
	if err != nil {
		return err
	}
	started := make(map[int]bool, len(r.Ordered))
	for _, bid := range r.Ordered {
		j := window[bid.Job]
		p.take(bid, 1)
		started[j.ID] = true
		p.running = append(p.running, Start{Job: j, Begin: p.now, End: p.now + j.RuntimeOn(bid.GPUs), Bid: bid})
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(j workloads.Job) bool { return started[j.ID] })
	p.charge()
	return nil
}

// next is the time of the next end or arrival.
func (p *play) next() int {
	next := math.MaxInt
	for _, r := range p.running {
		next = min(next, r.End)
	}
	for _, j := range p.waiting {
		if j.Arrival > p.now {
			return min(next, j.Arrival)
		}
	}
	return next
}

// end frees what the jobs hold that are over by now.
func (p *play) end() []Start {
	var over, on []Start
	for _, r := range p.running {
		if r.End > p.now {
			on = append(on, r)
			continue
		}
		p.take(r.Bid, -1)
		over = append(over, r)
	}
	p.running = on
	return over
}

func (p *play) take(b auction.Bid, sign int) {
	for i, n := range b.Nodes {
		p.nodes[n].FreeCores -= sign * b.Cores[i]
		p.nodes[n].FreeGPUs -= sign * b.GPUs
	}
}
