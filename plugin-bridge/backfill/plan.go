package backfill

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// State is what backfill decides on.
type State struct {
	Now time.Duration
	// Nodes have free what Running leaves.
	Nodes   []nodeset.Node
	Running []journal.Running
	// Queue is in the order of priority. Of a range of GPUs a job gets the least,
	// of its alternatives the first: Slurm knows neither.
	Queue    []auction.Job
	Licences []auction.Licence
}

// Options of the model.
type Options struct {
	// Reservations is the number of jobs that get one; 0 means all, as in Slurm.
	Reservations int
	// Resolution is bf_resolution.
	Resolution time.Duration
}

// Start is when a job of the queue would start.
type Start struct {
	Job int
	// At is on the scale of State.Now. Never means that the running jobs and
	// reservations without an end, or the machine, do not let the job start at all;
	// the rest is empty then.
	At    time.Duration
	Never bool
	// Nodes are indices, ascending.
	Nodes []int
	// After are the running jobs that hold some of the nodes until then, and Behind
	// the jobs of the queue that would.
	After, Behind []int
}

// Plan returns the starts of the first jobs of the queue, as many as count.
func Plan(s State, o Options, count int) []Start {
	p := planner{state: s, options: o}
	for _, r := range s.Running {
		p.held = append(p.held, hold{job: r.Job, nodes: r.Nodes, cores: r.Cores, gpus: r.GPUs, from: s.Now, to: end(s.Now, r), runs: true})
	}
	var starts []Start
	reserved := 0
	for _, j := range s.Queue[:min(count, len(s.Queue))] {
		start, h, ok := p.earliest(j)
		starts = append(starts, start)
		switch {
		case !ok:
		case start.At == s.Now:
			p.held = append(p.held, h)
		case o.Reservations == 0 || reserved < o.Reservations:
			reserved++
			p.held = append(p.held, p.reservation(h))
		}
	}
	return starts
}

// never ends what has no limit.
const never = time.Duration(1<<63 - 1)

// end is when a running job ends at the latest. One over its limit is about to be
// killed.
func end(now time.Duration, r journal.Running) time.Duration {
	if r.End == 0 {
		return never
	}
	return max(r.End, now+time.Second)
}

// hold is a job on its nodes for a time. A reservation has no cores: it takes its
// nodes whole.
type hold struct {
	job          int
	nodes, cores []int
	gpus         int
	from, to     time.Duration
	runs         bool
}

type planner struct {
	state   State
	options Options
	held    []hold
}

// reservation rounds outwards and takes the nodes whole.
func (p *planner) reservation(h hold) hold {
	h.cores = nil
	if r := p.options.Resolution; r > 0 {
		h.from = h.from / r * r
		if h.to < never-r {
			h.to = (h.to + r - 1) / r * r
		}
	}
	return h
}

// earliest tries the present and each later time at which something is given back.
func (p *planner) earliest(j auction.Job) (Start, hold, bool) {
	times := []time.Duration{p.state.Now}
	for _, h := range p.held {
		if h.to < never {
			times = append(times, h.to)
		}
	}
	slices.Sort(times)
	request := j
	request.MaxGPUs, request.Alternatives = 0, nil
	length := never
	if j.TimeLimit > 0 {
		length = j.TimeLimit
	}
	for _, at := range slices.Compact(times) {
		to := never
		if length < never-at {
			to = at + length
		}
		nodes, cores, ok := place(p.available(at, to), request, p.state.Licences)
		if !ok {
			continue
		}
		h := hold{job: j.ID, nodes: nodes, cores: cores, gpus: j.GPUs, from: at, to: to}
		start := Start{Job: j.ID, At: at, Nodes: nodes}
		for _, other := range p.held {
			switch {
			case at == p.state.Now || other.to > at || !meet(other.nodes, nodes):
			case other.runs:
				start.After = append(start.After, other.job)
			default:
				start.Behind = append(start.Behind, other.job)
			}
		}
		return start, h, true
	}
	return Start{Job: j.ID, Never: true}, hold{}, false
}

// available returns the nodes with what is free on them all the time from one
// instant to another. Jobs only hold at the beginning of that time, except for
// reservations, which keep a node whole whenever they overlap.
func (p *planner) available(from, to time.Duration) []nodeset.Node {
	nodes := slices.Clone(p.state.Nodes)
	for _, h := range p.held {
		overlaps := h.from < to && from < h.to
		for i, n := range h.nodes {
			switch {
			case h.cores == nil && overlaps:
				nodes[n].FreeCores, nodes[n].FreeGPUs = 0, 0
			case h.cores == nil:
			case h.runs && !overlaps:
				nodes[n].FreeCores += h.cores[i]
				nodes[n].FreeGPUs += h.gpus
			case !h.runs && overlaps:
				nodes[n].FreeCores -= h.cores[i]
				nodes[n].FreeGPUs -= h.gpus
			}
		}
	}
	for i := range nodes {
		nodes[i].FreeCores = min(nodes[i].FreeCores, nodes[i].Cores)
		nodes[i].FreeGPUs = max(0, min(nodes[i].FreeGPUs, nodes[i].GPUs))
	}
	return nodes
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
