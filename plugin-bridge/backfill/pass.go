package backfill

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// endsTogether is the length of the first interval in which select/cons_tres lets all running jobs end at once before
// it tries again to place a job (_will_run_test in src/plugins/select/cons_tres/job_test.c).
const endsTogether = 30 * time.Second

// pass is one pass over the queue.
type pass struct {
	State
	// held are the jobs that run, those that the pass started, and reservations.
	held []hold
	// times are now and the ends of running jobs, where ends within endsTogether count as one. future[i] is what is
	// free at times[i]. Both are remade after a start.
	times  []time.Duration
	future [][]machine.Node
	// space holds the reservations.
	space nodeSpace
}

// hold is a job on its nodes. A reservation has no cores: it takes its nodes
// whole. End is never for a job without a limit.
type hold struct {
	machine.Holding
	// queued is false for the jobs of State.Running.
	queued bool
}

func newPass(s State) *pass {
	s.Nodes = slices.Clone(s.Nodes)
	p := &pass{State: s, space: nodeSpace{{s.Now, allNodes(len(s.Nodes))}}}
	for _, r := range s.Running {
		if r.End == 0 {
			r.End = never
		}
		// A job that is over its limit is about to be killed.
		r.End = max(r.End, s.Now+time.Second)
		// The model does not know when memory becomes free.
		r.MemoryPerNode, r.MemoryPerCore = 0, 0
		p.held = append(p.held, hold{Holding: r})
	}
	return p
}

// now places the job on what is free now and not reserved.
func (p *pass) now(j bidding.Job) (a machine.Allocation, fits bool) {
	if !p.Licences.Cover(j.Options.Licences) {
		return a, false
	}
	return wanted(j).place(p.Nodes, p.space.open(p.Now, until(p.Now, j.TimeLimit)))
}

// start lets the job run.
func (p *pass) start(j bidding.Job, a machine.Allocation) Start {
	machine.Take(p.Nodes, a)
	p.held = append(p.held, hold{machine.Holding{Job: j.ID, Allocation: a, End: until(p.Now, j.TimeLimit)}, true})
	p.times, p.future = nil, nil
	return Start{Job: j.ID, At: p.Now, Allocation: a}
}

// reserve keeps the nodes whole from an instant to the job's limit, both rounded
// down to the resolution.
func (p *pass) reserve(j bidding.Job, at time.Duration, nodes []int, resolution time.Duration) {
	to := until(at, j.TimeLimit)
	if resolution > 0 {
		at -= at % resolution
		if to < never {
			to -= to % resolution
		}
	}
	p.space.reserve(at, to, nodes)
	p.held = append(p.held, hold{machine.Holding{Job: j.ID, Allocation: machine.Allocation{Nodes: nodes}, End: to}, true})
}

// earliest finds the first start that no reservation is in the way of. It begins
// with the nodes that no reservation holds from now on. If the job can start there
// only after the next slot of the node space has begun, in which other nodes are
// without a reservation, it tries again from that slot on.
func (p *pass) earliest(j bidding.Job) (at time.Duration, a machine.Allocation, found bool) {
	if !p.Licences.Cover(j.Options.Licences) {
		return 0, a, false
	}
	for try := p.Now; ; {
		later := p.space.next(try)
		at, a, found = p.willRun(j, p.space.open(try, until(try, j.TimeLimit)))
		if found {
			at = max(at, try)
			if at <= later && !p.space.overlaps(a.Nodes, at, until(at, j.TimeLimit)) {
				return at, a, true
			}
			if later == never {
				later = at // it overlaps: look from there on
			}
		}
		if later == never || later <= try {
			return 0, a, false
		}
		try = later
	}
}

// willRun tells when and where the job would start on the open nodes if all
// running jobs ran to their limits and no other job waited.
func (p *pass) willRun(j bidding.Job, open nodeMask) (at time.Duration, a machine.Allocation, found bool) {
	if p.times == nil {
		p.lookAhead()
	}
	w := wanted(j)
	if open.count() < max(1, w.nodes) {
		return 0, a, false
	}
	// What is free only grows with time, so that the first time can be searched for
	// by halves.
	first := sort.Search(len(p.times), func(i int) bool { return w.suffice(p.future[i], open) })
	if first == len(p.times) {
		return 0, a, false
	}
	a, found = w.place(p.future[first], open)
	return p.times[first], a, found
}

// lookAhead lists what is free after the running jobs of each window have ended.
// Each window is twice as long as the one before it, as in cons_tres.
func (p *pass) lookAhead() {
	var running []hold
	for _, h := range p.held {
		if h.Cores != nil && h.End < never {
			running = append(running, h)
		}
	}
	slices.SortStableFunc(running, func(a, b hold) int { return cmp.Compare(a.End, b.End) })
	p.times, p.future = []time.Duration{p.Now}, [][]machine.Node{p.Nodes}
	nodes := slices.Clone(p.Nodes)
	for window := endsTogether; len(running) > 0; window *= 2 {
		last, end := running[0].End+window, p.Now
		for len(running) > 0 && running[0].End <= last {
			end = running[0].End
			machine.Give(nodes, running[0].Allocation)
			running = running[1:]
		}
		p.times, p.future = append(p.times, end), append(p.future, slices.Clone(nodes))
	}
}

// before lists who holds some of the nodes until an instant.
func (p *pass) before(at time.Duration, nodes []int) (running, queued []int) {
	for _, h := range p.held {
		switch {
		case h.End > at || !meet(h.Nodes, nodes):
		case h.queued:
			queued = append(queued, h.Job)
		default:
			running = append(running, h.Job)
		}
	}
	return running, queued
}

// meet reports whether two ascending lists share an element.
func meet(a, b []int) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			return true
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return false
}
