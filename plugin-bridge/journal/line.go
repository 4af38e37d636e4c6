package journal

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// line is what one line of the file holds.
type line struct {
	Cycle int             `json:"cycle"`
	Time  float64         `json:"time_s"`
	Opts  auction.Options `json:"options"`
	// Rest is the snapshot without nodes, jobs and running jobs.
	Rest auction.Snapshot `json:"snapshot"`
	// Machine is there when nodes are not those of the line before.
	Machine []group `json:"machine,omitempty"`
	Free    []run   `json:"free"`
	// Jobs are those that differ from when they were last seen; their priorities
	// stand beside Window, which lists the jobs by id, in order. Priorities are
	// left out if they are the places from the end of the window.
	Jobs       []auction.Job `json:"jobs,omitempty"`
	Window     []int         `json:"window"`
	Priorities []float64     `json:"priorities,omitempty"`
	Selections [][]int       `json:"selections"`
	// Placed are the running jobs that differ from when they were last seen.
	Placed  []Running `json:"placed,omitempty"`
	Running []int     `json:"running,omitempty"`
	Outside []int     `json:"outside,omitempty"`
	// Occupied are the running jobs of the snapshot, as numbers of all that were
	// described in any line, from 0; Occupy describes those that come on top.
	Occupy   []occupied `json:"occupy,omitempty"`
	Occupied []int      `json:"occupied,omitempty"`
}

// occupied is a running job of a snapshot, with its end on the scale of Cycle.Time
// in place of what remains, which changes from line to line.
type occupied struct {
	Bid auction.Bid   `json:"bid"`
	End time.Duration `json:"end_ns"`
}

// group is neighbouring nodes that differ in their names only.
type group struct {
	Nodes string       `json:"nodes"` // hostlist
	Each  nodeset.Node `json:"each"`
}

// run is a number of neighbouring nodes with the same free cores, GPUs and
// memory on each.
type run [4]int

// memory is what both ends of the file remember of the lines before.
type memory struct {
	machine []nodeset.Node // without what is free
	jobs    map[int]auction.Job
	running map[int]Running
	// occupied are all that were described, last those of the line before.
	occupied []occupied
	last     []int
}

func newMemory() memory {
	return memory{jobs: map[int]auction.Job{}, running: map[int]Running{}}
}

// bare is a node without what changes.
func bare(n nodeset.Node) nodeset.Node {
	n.FreeCores, n.FreeGPUs, n.FreeMemory = 0, 0, 0
	return n
}

// encodeNodes splits nodes into what changes and, if it is new, what does not.
func (m *memory) encodeNodes(nodes []nodeset.Node) (machine []group, free []run) {
	known := len(nodes) == len(m.machine)
	for i, n := range nodes {
		r := run{1, n.FreeCores, n.FreeGPUs, n.FreeMemory}
		if last := len(free) - 1; last >= 0 && free[last][1] == r[1] && free[last][2] == r[2] && free[last][3] == r[3] {
			free[last][0]++
		} else {
			free = append(free, r)
		}
		known = known && same(m.machine[i], bare(n))
	}
	if known {
		return nil, free
	}
	m.machine = m.machine[:0]
	var names []string
	var each nodeset.Node
	flush := func() {
		if len(names) > 0 {
			machine = append(machine, group{hostlist.Compress(names), each})
		}
	}
	for _, n := range nodes {
		n = bare(n)
		m.machine = append(m.machine, n)
		nameless := n
		nameless.Name = ""
		if len(names) == 0 || !reflect.DeepEqual(nameless, each) {
			flush()
			names, each = nil, nameless
		}
		names = append(names, n.Name)
	}
	flush()
	return machine, free
}

// same compares nodes that are read anew in each cycle; reflection is left to
// those that differ in their words.
func same(a, b nodeset.Node) bool {
	return a.Name == b.Name && reflect.DeepEqual(a, b)
}

// places returns the priorities that need not be written.
func places(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(n - i)
	}
	return all
}

// encodeOccupied returns the numbers of the running jobs, and those that were not
// in the line before.
func (m *memory) encodeOccupied(now time.Duration, running []auction.Occupation) (described []occupied, numbers []int) {
	for _, r := range running {
		o := occupied{r.Bid, now + r.Remaining}
		at := slices.IndexFunc(m.last, func(n int) bool { return m.occupied[n].End == o.End && reflect.DeepEqual(m.occupied[n].Bid, o.Bid) })
		if at >= 0 {
			numbers = append(numbers, m.last[at])
			continue
		}
		numbers = append(numbers, len(m.occupied))
		m.occupied = append(m.occupied, o)
		described = append(described, o)
	}
	m.last = numbers
	return described, numbers
}

// decodeOccupied is the reverse, on a machine of the given size.
func (m *memory) decodeOccupied(now time.Duration, l line, nodes int) (running []auction.Occupation, err error) {
	for _, o := range l.Occupy {
		if err := validate(o.Bid.Nodes, o.Bid.Cores, nodes); err != nil {
			return nil, fmt.Errorf("field occupy: %w", err)
		}
		m.occupied = append(m.occupied, o)
	}
	for _, n := range l.Occupied {
		if n < 0 || n >= len(m.occupied) {
			return nil, fmt.Errorf("field occupied: running job %d, of which %d were described", n, len(m.occupied))
		}
		running = append(running, auction.Occupation{Bid: m.occupied[n].Bid, Remaining: m.occupied[n].End - now})
	}
	return running, nil
}

// news returns the items that differ from when they were last seen, and
// remembers them.
func news[T any](seen map[int]T, items []T, id func(T) int) (changed []T, ids []int) {
	ids = make([]int, len(items))
	for i, item := range items {
		ids[i] = id(item)
		old, known := seen[ids[i]]
		if !known || !reflect.DeepEqual(old, item) {
			seen[ids[i]] = item
			changed = append(changed, item)
		}
	}
	return changed, ids
}
