package journal

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// line is what one line of the file holds.
type line struct {
	Cycle int             `json:"cycle"`
	Time  float64         `json:"time_s"`
	Opts  auction.Options `json:"options"`
	// Rest is the snapshot without its time, nodes, jobs and running jobs.
	Rest auction.Snapshot `json:"snapshot"`
	// Machine is there when nodes differ from the line before.
	Machine []group `json:"machine,omitempty"`
	Free    []run   `json:"free"`
	// Jobs are those that differ from when they were last seen, without priorities.
	// Window lists the ids of all jobs of the window in order, Priorities has the
	// priority of each. Priorities are left out if they count down to 1.
	Jobs       []bidding.Job `json:"jobs,omitempty"`
	Window     []int         `json:"window"`
	Priorities []float64     `json:"priorities,omitempty"`
	Selections [][]int       `json:"selections"`
	// Placed are the running jobs that differ from when they were last seen.
	Placed  []machine.Holding `json:"placed,omitempty"`
	Running []int             `json:"running,omitempty"`
	Outside []int             `json:"outside,omitempty"`
	// Occupied are the running jobs of the snapshot, as numbers of all that were
	// described in any line, from 0; Occupy describes those that are new.
	Occupy   []occupied `json:"occupy,omitempty"`
	Occupied []int      `json:"occupied,omitempty"`
}

// occupied is a machine.Holding under the names that running jobs of a snapshot
// have in the file.
type occupied struct {
	Job                int `json:"job,omitempty"`
	machine.Allocation `json:"bid"`
	Licences           machine.Licences `json:"licences,omitzero"`
	End                time.Duration    `json:"end_ns"`
}

// group is neighbouring nodes that differ in their names only.
type group struct {
	Nodes string       `json:"nodes"` // hostlist
	Each  machine.Node `json:"each"`
}

// run is a number of neighbouring nodes with the same free cores, GPUs and
// memory on each.
type run [4]int

// memory is what an end of the file remembers of the lines before. The writer's memory has only what is in the last
// line: a run may be long.
type memory struct {
	nodes   []machine.Node // without what is free
	jobs    map[int]bidding.Job
	running map[int]machine.Holding
	// occupied are all that were described to the reader. The writer knows their count, and the jobs of the last line
	// with their numbers.
	occupied  []machine.Holding
	described int
	last      []int
	lastHeld  []machine.Holding
}

func newMemory() memory {
	return memory{jobs: map[int]bidding.Job{}, running: map[int]machine.Holding{}}
}

// bare is a node without its free counts, which change from cycle to cycle.
func bare(n machine.Node) machine.Node {
	n.FreeCores, n.FreeGPUs, n.FreeMemory = 0, 0, 0
	return n
}

// encodeNodes returns what the nodes have free and, if they differ from the line before, their descriptions.
func (m *memory) encodeNodes(nodes []machine.Node) (groups []group, free []run) {
	known := len(nodes) == len(m.nodes)
	for i, n := range nodes {
		r := run{1, n.FreeCores, n.FreeGPUs, n.FreeMemory}
		if last := len(free) - 1; last >= 0 && free[last][1] == r[1] && free[last][2] == r[2] && free[last][3] == r[3] {
			free[last][0]++
		} else {
			free = append(free, r)
		}
		known = known && same(m.nodes[i], bare(n))
	}
	if known {
		return nil, free
	}
	m.nodes = m.nodes[:0]
	var names []string
	var each machine.Node
	flush := func() {
		if len(names) > 0 {
			groups = append(groups, group{values.CompressHosts(names), each})
		}
	}
	for _, n := range nodes {
		n = bare(n)
		m.nodes = append(m.nodes, n)
		nameless := n
		nameless.Name = ""
		if len(names) == 0 || !same(nameless, each) {
			flush()
			names, each = nil, nameless
		}
		names = append(names, n.Name)
	}
	flush()
	return groups, free
}

// same reports whether two nodes without their free counts are equal. All nodes of the
// machine are compared in each cycle, for which reflection is too slow.
func same(a, b machine.Node) bool {
	return a.Name == b.Name && a.Cores == b.Cores && a.GPUs == b.GPUs && a.GPUType == b.GPUType && a.Memory == b.Memory && a.Weight == b.Weight &&
		slices.Equal(a.Features, b.Features) && slices.Equal(a.Partitions, b.Partitions) && slices.Equal(a.Switches, b.Switches)
}

// descending returns the priorities n, n-1, ... 1 of a window, which are not written.
func descending(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(n - i)
	}
	return all
}

// encodeOccupied returns the numbers of the running jobs, and those that were not
// in the line before.
func (m *memory) encodeOccupied(running []machine.Holding) (described []occupied, numbers []int) {
	for _, h := range running {
		at := slices.IndexFunc(m.lastHeld, func(last machine.Holding) bool { return last.End == h.End && reflect.DeepEqual(last, h) })
		if at >= 0 {
			numbers = append(numbers, m.last[at])
			continue
		}
		numbers = append(numbers, m.described)
		m.described++
		described = append(described, occupied(h))
	}
	m.last, m.lastHeld = numbers, slices.Clone(running)
	return described, numbers
}

// decodeOccupied is the reverse, on a machine of the given size.
func (m *memory) decodeOccupied(l line, nodes int) (running []machine.Holding, err error) {
	for _, o := range l.Occupy {
		if err := validate(o.Allocation, nodes); err != nil {
			return nil, fmt.Errorf("field occupy: %w", err)
		}
		m.occupied = append(m.occupied, machine.Holding(o))
	}
	for _, n := range l.Occupied {
		if n < 0 || n >= len(m.occupied) {
			return nil, fmt.Errorf("field occupied: running job %d, of which %d were described", n, len(m.occupied))
		}
		running = append(running, m.occupied[n])
	}
	return running, nil
}

// news returns the items that differ from the last line, and remembers these items
// instead of those.
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
	if len(seen) > len(items) {
		here := make(map[int]bool, len(items))
		for _, number := range ids {
			here[number] = true
		}
		maps.DeleteFunc(seen, func(number int, _ T) bool { return !here[number] })
	}
	return changed, ids
}
