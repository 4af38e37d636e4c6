package auction

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Class is the class of a bid.
type Class byte

// The bid classes of AUCSCHED section 4, and our own.
const (
	// ClassA bids lie at the beginning or the end of a nodeset.
	ClassA Class = 'A'
	// ClassB bids lie in the middle of a nodeset.
	ClassB Class = 'B'
	// ClassC bids combine neighbouring nodesets; their nodes are no block.
	ClassC Class = 'C'
	// ClassR bids take the cores that the bids of other jobs leave over.
	ClassR Class = 'R'
	// ClassFree bids have nodes and cores that a program chose by itself.
	ClassFree Class = 'F'
)

func (c Class) String() string { return string(rune(c)) }

// Bid is one allocation that a job would take. Bids share the memory of their
// slices: read them only.
type Bid struct {
	// Job is the index of the job in Snapshot.Jobs.
	Job   int
	Class Class
	// Alternative is the request that the bid is for, see Job.With.
	Alternative int
	// Nodes are indices into Snapshot.Nodes, ascending.
	Nodes []int
	// Cores are T_in: the cores taken from each of Nodes.
	Cores []int
	// GPUs are taken from each of Nodes.
	GPUs int
	// Preference is F_i of equation (1), in (0,1].
	Preference float64
	// TasksPerNode and MinCores are how Slurm must be asked, see Request.
	TasksPerNode int
	MinCores     int
	// Exclusive bids take all cores of their nodes, and with them all GPUs, for
	// Tasks tasks, which are not set otherwise.
	Exclusive bool
	Tasks     int
	// MemoryPerNode and MemoryPerCore are what the job takes, in MiB.
	MemoryPerNode, MemoryPerCore int
}

// Memory is what the bid takes from one of its nodes, by position in Nodes, in MiB.
func (b Bid) Memory(at int) int { return b.MemoryPerNode + b.MemoryPerCore*b.Cores[at] }

// lacksMemory reports whether one of the bid's nodes has not the memory for it.
func (b Bid) lacksMemory(nodes []nodeset.Node) bool {
	for i, n := range b.Nodes {
		if nodes[n].FreeMemory < b.Memory(i) {
			return true
		}
	}
	return false
}

// Request is how Slurm must be asked to get the bid's cores on its nodes.
func (b Bid) Request() Request {
	tasks := b.Tasks
	if !b.Exclusive {
		for _, c := range b.Cores {
			tasks += c
		}
	}
	return Request{Tasks: tasks, MinCores: b.MinCores, TasksPerNode: b.TasksPerNode}
}

// String shows the bid with 0-based node indices, as in
// "A nodes 0-63,80-143 cores 5(x64),3(x64) gpus 0 F=0.344 tasks-per-node=0 min-cores=0".
func (b Bid) String() string {
	text := fmt.Sprintf("%v nodes %s cores %s gpus %d F=%.3f tasks-per-node=%d min-cores=%d",
		b.Class, Ranges(b.Nodes), RunLength(b.Cores), b.GPUs, b.Preference, b.TasksPerNode, b.MinCores)
	if b.Alternative > 0 {
		text += fmt.Sprintf(" alternative %d", b.Alternative)
	}
	if b.Exclusive {
		text += fmt.Sprintf(" exclusive for %d tasks", b.Tasks)
	}
	return text
}

// RunLength writes counts as Slurm does, "4(x64),3".
func RunLength(counts []int) string {
	var out strings.Builder
	for i := 0; i < len(counts); {
		end := i + 1
		for end < len(counts) && counts[end] == counts[i] {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprint(&out, counts[i])
		if end-i > 1 {
			fmt.Fprintf(&out, "(x%d)", end-i)
		}
		i = end
	}
	return out.String()
}

// Ranges writes ascending indices as ranges, "0-63,80".
func Ranges(indices []int) string {
	var out strings.Builder
	for i := 0; i < len(indices); {
		end := i + 1
		for end < len(indices) && indices[end] == indices[end-1]+1 {
			end++
		}
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprint(&out, indices[i])
		if end-i > 1 {
			fmt.Fprintf(&out, "-%d", indices[end-1])
		}
		i = end
	}
	return out.String()
}

// contiguous reports whether ascending indices are one block.
func contiguous(nodes []int) bool {
	return len(nodes) > 0 && nodes[len(nodes)-1]-nodes[0] == len(nodes)-1
}
