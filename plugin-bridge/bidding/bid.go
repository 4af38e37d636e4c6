package bidding

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
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
	// ClassSlurm bids lie where Slurm itself would start the job (auction.PaperBids).
	ClassSlurm Class = 'S'
	// ClassFree bids are not made by a [Generator]: an integer program chose their
	// nodes and cores by itself (package papers).
	ClassFree Class = 'F'
)

func (c Class) String() string { return string(rune(c)) }

// Bid is one allocation that a job would take. Several bids may share the memory of
// their slices, so that nobody may write to these.
type Bid struct {
	// Job is the index of the job in the window.
	Job   int
	Class Class
	// Alternative is the request that the bid is for, see Job.With.
	Alternative int
	// Allocation has T_in of AUCSCHED2 as Cores.
	machine.Allocation
	// Preference is F_i of AUCSCHED2 equation (1), in (0,1].
	Preference float64
	// TasksPerNode and MinCores stand in the machine.Request by which Slurm
	// gives the job its Cores.
	TasksPerNode int
	MinCores     int
	// Exclusive bids (--exclusive) take all cores of their nodes, and with them all
	// GPUs. Tasks is the number of tasks of such a job; it is 0 in other bids, whose
	// tasks have a core each.
	Exclusive bool
	Tasks     int
}

// Request is how Slurm must be asked to get the bid's cores on its nodes.
func (b Bid) Request() machine.Request {
	tasks := b.Tasks
	if !b.Exclusive {
		tasks = b.TotalCores()
	}
	return machine.Request{Tasks: tasks, MinCores: b.MinCores, TasksPerNode: b.TasksPerNode, MemoryPerCore: b.MemoryPerCore}
}

// String shows the bid with 0-based node indices, as in
// "A nodes 0-63,80-143 cores 5(x64),3(x64) gpus 0 F=0.344 tasks-per-node=0 min-cores=0".
func (b Bid) String() string {
	text := fmt.Sprintf("%v nodes %s cores %s gpus %d F=%.3f tasks-per-node=%d min-cores=%d",
		b.Class, machine.Ranges(b.Nodes), machine.RunLength(b.Cores), b.GPUs, b.Preference, b.TasksPerNode, b.MinCores)
	if b.Alternative > 0 {
		text += fmt.Sprintf(" alternative %d", b.Alternative)
	}
	if b.Exclusive {
		text += fmt.Sprintf(" exclusive for %d tasks", b.Tasks)
	}
	return text
}

// Same reports whether two bids of a job have the same nodes, cores and GPUs and
// serve the same alternative.
func (b Bid) Same(other Bid) bool {
	return b.GPUs == other.GPUs && b.Alternative == other.Alternative && len(b.Nodes) == len(other.Nodes) && b.Nodes[0] == other.Nodes[0] &&
		slices.Equal(b.Cores, other.Cores) && slices.Equal(b.Nodes, other.Nodes)
}
