package machine

import "time"

// Allocation is what a job takes of the nodes, or would take.
type Allocation struct {
	// Nodes are indices of nodes, ascending, with the Cores taken from each.
	Nodes, Cores []int
	// GPUs are taken from each of Nodes. A job with --exclusive takes all GPUs of
	// its nodes; here stand those that it asked for, since no other job can use
	// GPUs on a node without a free core.
	GPUs int
	// MemoryPerNode and MemoryPerCore are what the job takes, in MiB; at most one
	// is set.
	MemoryPerNode int `json:",omitempty"`
	MemoryPerCore int `json:",omitempty"`
}

// Memory is what the allocation takes from one of its nodes, by position in Nodes,
// in MiB.
func (a Allocation) Memory(at int) int { return a.MemoryPerNode + a.MemoryPerCore*a.Cores[at] }

// TotalCores is the number of cores over all nodes.
func (a Allocation) TotalCores() int {
	total := 0
	for _, c := range a.Cores {
		total += c
	}
	return total
}

// Take takes an allocation off what the nodes have free. Where less than that is
// free, 0 is left: Slurm may count a job that has just started already, which the
// agent still takes off as one that has not.
func Take(nodes []Node, a Allocation) {
	for i, at := range a.Nodes {
		n := &nodes[at]
		n.FreeCores = max(0, n.FreeCores-a.Cores[i])
		n.FreeGPUs = max(0, n.FreeGPUs-a.GPUs)
		n.FreeMemory = max(0, n.FreeMemory-a.Memory(i))
	}
}

// Give adds an allocation to what the nodes have free, as when its job ends. More
// than a node has is never free, even if the allocation was not taken off before.
func Give(nodes []Node, a Allocation) {
	for i, at := range a.Nodes {
		n := &nodes[at]
		n.FreeCores = min(n.Cores, n.FreeCores+a.Cores[i])
		n.FreeGPUs = min(n.GPUs, n.FreeGPUs+a.GPUs)
		n.FreeMemory = min(n.Memory, n.FreeMemory+a.Memory(i))
	}
}

// Fits reports whether every node of an allocation has that much free.
func Fits(nodes []Node, a Allocation) bool {
	for i, at := range a.Nodes {
		if n := &nodes[at]; n.FreeCores < a.Cores[i] || n.FreeGPUs < a.GPUs || n.FreeMemory < a.Memory(i) {
			return false
		}
	}
	return true
}

// Holding is what one job holds, and for how long.
type Holding struct {
	// Job is the workload's id.
	Job int
	Allocation
	Licences Licences `json:",omitzero"`
	// End is when the job's time limit ends it at the latest, 0 without a limit. It is on the clock of the lister of
	// the holding, as a rule since the start of the run.
	End time.Duration
}
