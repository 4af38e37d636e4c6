package rehearsal

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/workloads"
)

// The settings of slurm.conf.tmpl, and the window of running jobs' ends that
// select/cons_tres looks at as one (_will_run_test in
// src/plugins/select/cons_tres/job_test.c).
const (
	backfillInterval   = 30
	backfillResolution = 60
	endsTogether       = 30
)

// Backfill is a model of Slurm's scheduler with sched/backfill and the settings
// of slurm.conf.tmpl:
//
//   - Whenever a job arrives or ends, jobs start in the order of the queue up to
//     the first that does not fit (schedule in src/slurmctld/job_scheduler.c).
//   - Every bf_interval, if anything has changed, each job of the queue gets the
//     earliest start that the time limits of the running jobs and the
//     reservations of the jobs before it allow, and starts if that is now
//     (_attempt_backfill in src/plugins/sched/backfill/backfill.c). Reservations
//     are of whole nodes.
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
	p := newPass(s)
	p.inOrder()
	if s.Now >= b.pass {
		if b.changed {
			p.backfill()
			b.changed = false
		}
		b.pass = s.Now + backfillInterval
	}
	b.seen = [2]int{len(s.Waiting) - len(p.starts), len(s.Running) + len(p.starts)}
	again := math.MaxInt
	if b.changed {
		again = b.pass
	}
	return p.starts, again, nil
}

// pass is one decision.
type pass struct {
	State
	starts  []auction.Bid
	started []bool
	// future[i] is what is free at times[i], the first of them being now, when
	// the running jobs end at their limits.
	times  []int
	future [][]nodeset.Node
	// space holds the reservations of the jobs looked at so far.
	space nodeSpace
}

func newPass(s State) *pass {
	s.Nodes, s.Running = slices.Clone(s.Nodes), slices.Clone(s.Running)
	return &pass{State: s, started: make([]bool, len(s.Waiting)), space: nodeSpace{{s.Now, allNodes(len(s.Nodes))}}}
}

func (p *pass) inOrder() {
	open := allNodes(len(p.Nodes))
	for i, j := range p.Waiting {
		nodes, cores := choose(j, p.Nodes, open)
		if nodes == nil {
			return
		}
		p.start(i, nodes, cores)
	}
}

func (p *pass) start(i int, nodes, cores []int) {
	j := p.Waiting[i]
	bid := auction.Bid{Job: i, Nodes: nodes, Cores: cores, GPUs: j.GPUsMin}
	take(p.Nodes, bid, 1)
	p.starts = append(p.starts, bid)
	p.started[i] = true
	p.Running = append(p.Running, Start{Job: j, Begin: p.Now, Bid: bid})
	p.times = nil
}

func (p *pass) backfill() {
	for i, j := range p.Waiting {
		if p.started[i] {
			continue
		}
		begin, nodes, cores := p.earliest(j)
		switch {
		case nodes == nil:
		case begin <= p.Now:
			p.start(i, nodes, cores)
		default:
			p.space.reserve(begin, begin+j.Limit, nodes)
		}
	}
}

// earliest finds a start between the reservations: the limits of running jobs
// give one, on the nodes that no reservation holds from the time tried on; if
// another slot begins before it, that is tried next.
func (p *pass) earliest(j workloads.Job) (begin int, nodes, cores []int) {
	for try := p.Now; ; {
		later := p.space.next(try)
		begin, nodes, cores = p.willRun(j, p.space.open(try, try+j.Limit))
		if nodes != nil {
			begin = max(begin, try)
			if begin <= later && !p.space.overlaps(nodes, begin, begin+j.Limit) {
				return begin, nodes, cores
			}
			if later == math.MaxInt {
				later = begin // it overlaps: look from there on
			}
		}
		if later == math.MaxInt || later <= try {
			return 0, nil, nil
		}
		try = later
	}
}

// willRun tells when and where the job would start on the open nodes if all
// running jobs ran to their limits and no other job waited.
func (p *pass) willRun(j workloads.Job, open nodeMask) (begin int, nodes, cores []int) {
	if p.times == nil {
		p.lookAhead()
	}
	if open.count()*p.Nodes[0].Cores < j.Cores || open.count() < j.Nodes {
		return 0, nil, nil
	}
	// More is free the later it is.
	at := sort.Search(len(p.times), func(i int) bool {
		found, _ := choose(j, p.future[i], open)
		return found != nil
	})
	if at == len(p.times) {
		return 0, nil, nil
	}
	nodes, cores = choose(j, p.future[at], open)
	return p.times[at], nodes, cores
}

// lookAhead lists what is free after each group of ends. The groups grow, since
// cons_tres doubles its window from test to test.
func (p *pass) lookAhead() {
	running := slices.Clone(p.Running)
	slices.SortStableFunc(running, func(a, b Start) int { return a.limit() - b.limit() })
	p.times, p.future = []int{p.Now}, [][]nodeset.Node{p.Nodes}
	nodes := slices.Clone(p.Nodes)
	for window := endsTogether; len(running) > 0; window *= 2 {
		last := running[0].limit() + window
		end := 0
		for len(running) > 0 && running[0].limit() <= last {
			end = running[0].limit()
			take(nodes, running[0].Bid, -1)
			running = running[1:]
		}
		p.times, p.future = append(p.times, max(end, p.Now+1)), append(p.future, slices.Clone(nodes))
	}
}
