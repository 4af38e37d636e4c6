package infer

import (
	"container/heap"
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// ends are the running jobs by when they end, then by their number.
type ends []jobEnd

type jobEnd struct {
	at  float64
	job int
}

// Len implements heap.Interface.
func (e ends) Len() int { return len(e) }

// Less implements heap.Interface.
func (e ends) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].job < e[j].job
}

// Swap implements heap.Interface.
func (e ends) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push implements heap.Interface.
func (e *ends) Push(x any) { *e = append(*e, x.(jobEnd)) }

// Pop implements heap.Interface.
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (e *ends) add(at float64, job int) { heap.Push(e, jobEnd{at, job}) }

// over says whether a running job ends by then. A job that starts when another one ends may have its nodes.
func (e *ends) over(by float64) bool { return len(*e) > 0 && (*e)[0].at <= by }

func (e *ends) next() int { return heap.Pop(e).(jobEnd).job }

// site is a node of the traces.
type siteNode struct {
	name    string
	used    []int
	peaks   []peak
	jobs    int
	running int
	// visits are the jobs by partition.
	visits map[int]int
}

// peak is the most that jobs held of a resource of a node at once.
type peak struct {
	value int
	// times is how many jobs brought the node there, ways in which different ways, at most mostWays.
	times int
	ways  []way
	// whole says that a job got all of it without having asked for it.
	whole bool
}

// way is so many jobs on a node, of which the last one holds so much.
type way struct{ running, part int }

// mostWays is more than any Certainty needs.
const mostWays = 4

func (p *peak) reach(used int, w way, whole bool) {
	switch {
	case used < p.value || used == 0:
		return
	case used > p.value:
		*p = peak{value: used}
	}
	p.times++
	p.whole = p.whole || whole
	if len(p.ways) < mostWays && !slices.Contains(p.ways, w) {
		p.ways = append(p.ways, w)
	}
}

// sweep plays the starts and ends of jobs in their order.
type sweep struct {
	jobs      []heldJob
	resources int
	nodes     map[string]*siteNode
	// sure is the sweep of the jobs on one node, which says how large the nodes are at least. Without it, jobs on several nodes are left out.
	sure *sweep
	// running has what each running job holds: of each amount the part on each node, nil if that is unknown.
	running map[int]placement
	// uneven counts jobs whose parts are unknown.
	uneven int
}

type placement struct {
	nodes []*siteNode
	parts [][]int
}

func newSweep(c *collected, sure *sweep) *sweep {
	return &sweep{jobs: c.jobs, resources: len(c.resources), nodes: map[string]*siteNode{}, sure: sure, running: map[int]placement{}}
}

func (s *sweep) run() {
	var running ends
	for i, j := range s.jobs {
		for running.over(j.start) {
			s.end(running.next())
		}
		if j.hosts == "" || j.nodes > 1 && s.sure == nil {
			continue
		}
		s.start(i)
		running.add(j.end, i)
	}
}

func (s *sweep) end(job int) {
	held := s.running[job]
	delete(s.running, job)
	for k, parts := range held.parts {
		for i, part := range parts {
			held.nodes[i].used[s.jobs[job].amounts[k].resource] -= part
		}
	}
	for _, n := range held.nodes {
		n.running--
	}
}

func (s *sweep) start(job int) {
	j := s.jobs[job]
	// The list was read before.
	names, _ := values.ExpandHosts(j.hosts)
	p := placement{parts: make([][]int, len(j.amounts))}
	for _, name := range names {
		n := s.node(name)
		n.jobs++
		n.running++
		n.visits[j.partition]++
		p.nodes = append(p.nodes, n)
	}
	known := true
	for k, a := range j.amounts {
		p.parts[k] = s.divide(a, p.nodes)
		known = known && p.parts[k] != nil
		for i, part := range p.parts[k] {
			n := p.nodes[i]
			n.used[a.resource] += part
			n.peaks[a.resource].reach(n.used[a.resource], way{n.running, part}, j.whole)
		}
	}
	if !known {
		s.uneven++
	}
	s.running[job] = p
}

func (s *sweep) node(name string) *siteNode {
	n := s.nodes[name]
	if n == nil {
		n = &siteNode{name: name, used: make([]int, s.resources), peaks: make([]peak, s.resources), visits: map[int]int{}}
		s.nodes[name] = n
	}
	return n
}

// divide is what a job holds on each of its nodes, nil if that is unknown. sacct tells the sum alone. Slurm gives equal parts unless
// the nodes lack room: then each gets as much as is free of what it is known to have, if all have enough together.
func (s *sweep) divide(a amount, nodes []*siteNode) []int {
	count := len(nodes)
	parts := make([]int, count)
	for i := range parts {
		parts[i] = a.total / count
	}
	if count == 1 {
		return parts
	}
	free, all, room := make([]int, count), 0, true
	for i, n := range nodes {
		if one := s.sure.nodes[n.name]; one != nil {
			free[i] = max(0, one.peaks[a.resource].value-n.used[a.resource])
		}
		all += free[i]
		room = room && free[i] >= parts[i]
	}
	even := a.total%count == 0 || a.resource == atMemory
	switch {
	case even && room:
	case all >= a.total:
		fill(parts, free, a.total)
	case !even:
		return nil
	}
	return parts
}

// fill divides a total among nodes with enough room together, as evenly as the room allows.
func fill(parts, free []int, total int) {
	order := make([]int, len(free))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return free[a] - free[b] })
	for done, i := range order {
		left := len(order) - done
		parts[i] = min(free[i], (total+left-1)/left)
		total -= parts[i]
	}
}
