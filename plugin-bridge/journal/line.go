package journal

import (
	"reflect"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// line is what one line of the file holds.
type line struct {
	Cycle int             `json:"cycle"`
	Time  float64         `json:"time_s"`
	Opts  auction.Options `json:"options"`
	// Rest is the snapshot without nodes and jobs.
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
