package backfill

import (
	"slices"
	"sort"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// endsTogether is the window of running jobs' ends that select/cons_tres looks at
// as one (_will_run_test in src/plugins/select/cons_tres/job_test.c).
const endsTogether = 30 * time.Second

// pass is one pass over the queue.
type pass struct {
	State
	// held are the jobs that run, those that the pass started, and reservations.
	held []hold
	// times are now and the groups of ends of what runs, future[i] is what is free
	// at times[i]. They are made anew after a start.
	times  []time.Duration
	future [][]nodeset.Node
	// space holds the reservations.
	space nodeSpace
}

// hold is a job on its nodes. A reservation has no cores: it takes its nodes
// whole.
type hold struct {
	job          int
	nodes, cores []int
	gpus         int
	to           time.Duration
	// queued is false for the jobs of State.Running.
	queued bool
}

func newPass(s State) *pass {
	s.Nodes = slices.Clone(s.Nodes)
	p := &pass{State: s, space: nodeSpace{{s.Now, allNodes(len(s.Nodes))}}}
	for _, r := range s.Running {
		h := hold{job: r.Job, nodes: r.Nodes, cores: r.Cores, gpus: r.GPUs, to: never}
		if r.End > 0 {
			// One over its limit is about to be killed.
			h.to = max(r.End, s.Now+time.Second)
		}
		p.held = append(p.held, h)
	}
	return p
}

// now places the job on what is free now and not reserved.
func (p *pass) now(j auction.Job) (nodes, cores []int) {
	if !auction.Covers(p.Licences, j.Options.Licences) {
		return nil, nil
	}
	return wanted(j).place(p.Nodes, p.space.open(p.Now, until(p.Now, j.TimeLimit)))
}

// start lets the job run.
func (p *pass) start(j auction.Job, nodes, cores []int) Start {
	h := hold{job: j.ID, nodes: nodes, cores: cores, gpus: j.GPUs, to: until(p.Now, j.TimeLimit), queued: true}
	h.change(p.Nodes, -1)
	p.held = append(p.held, h)
	p.times, p.future = nil, nil
	return Start{Job: j.ID, At: p.Now, Nodes: nodes, Cores: cores}
}

// change adds what a running job holds to the free counts, or takes it off when
// sign is -1. More than a node has is never free, whatever the records say.
func (h hold) change(nodes []nodeset.Node, sign int) {
	for i, at := range h.nodes {
		n := &nodes[at]
		n.FreeCores = min(n.FreeCores+sign*h.cores[i], n.Cores)
		n.FreeGPUs = min(n.FreeGPUs+sign*h.gpus, n.GPUs)
	}
}

// reserve keeps the nodes whole from an instant to the job's limit, both rounded
// down to the resolution.
func (p *pass) reserve(j auction.Job, at time.Duration, nodes []int, resolution time.Duration) {
	to := until(at, j.TimeLimit)
	if resolution > 0 {
		at -= at % resolution
		if to < never {
			to -= to % resolution
		}
	}
	p.space.reserve(at, to, nodes)
	p.held = append(p.held, hold{job: j.ID, nodes: nodes, to: to, queued: true})
}

// earliest finds a start between the reservations: the limits of running jobs
// give one, on the nodes that no reservation holds from the time tried on; if
// another slot begins before it, that is tried next.
func (p *pass) earliest(j auction.Job) (at time.Duration, nodes, cores []int) {
	if !auction.Covers(p.Licences, j.Options.Licences) {
		return 0, nil, nil
	}
	for try := p.Now; ; {
		later := p.space.next(try)
		at, nodes, cores = p.willRun(j, p.space.open(try, until(try, j.TimeLimit)))
		if nodes != nil {
			at = max(at, try)
			if at <= later && !p.space.overlaps(nodes, at, until(at, j.TimeLimit)) {
				return at, nodes, cores
			}
			if later == never {
				later = at // it overlaps: look from there on
			}
		}
		if later == never || later <= try {
			return 0, nil, nil
		}
		try = later
	}
}

// willRun tells when and where the job would start on the open nodes if all
// running jobs ran to their limits and no other job waited.
func (p *pass) willRun(j auction.Job, open nodeMask) (at time.Duration, nodes, cores []int) {
	if p.times == nil {
		p.lookAhead()
	}
	w := wanted(j)
	if open.count() < max(1, w.nodes) {
		return 0, nil, nil
	}
	// More is free the later it is.
	found := sort.Search(len(p.times), func(i int) bool { return w.choose(p.future[i], open) != nil })
	if found == len(p.times) {
		return 0, nil, nil
	}
	nodes, cores = w.place(p.future[found], open)
	return p.times[found], nodes, cores
}

// lookAhead lists what is free after each group of ends. The groups grow, since
// cons_tres doubles its window from test to test.
func (p *pass) lookAhead() {
	var running []hold
	for _, h := range p.held {
		if h.cores != nil && h.to < never {
			running = append(running, h)
		}
	}
	slices.SortStableFunc(running, func(a, b hold) int { return int(a.to - b.to) })
	p.times, p.future = []time.Duration{p.Now}, [][]nodeset.Node{p.Nodes}
	nodes := slices.Clone(p.Nodes)
	for window := endsTogether; len(running) > 0; window *= 2 {
		last, end := running[0].to+window, p.Now
		for len(running) > 0 && running[0].to <= last {
			end = running[0].to
			running[0].change(nodes, 1)
			running = running[1:]
		}
		p.times, p.future = append(p.times, end), append(p.future, slices.Clone(nodes))
	}
}

// before lists who holds some of the nodes until an instant.
func (p *pass) before(at time.Duration, nodes []int) (running, queued []int) {
	for _, h := range p.held {
		switch {
		case h.to > at || !meet(h.nodes, nodes):
		case h.queued:
			queued = append(queued, h.job)
		default:
			running = append(running, h.job)
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
