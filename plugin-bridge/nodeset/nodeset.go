package nodeset

import "fmt"

// Node is one node of a snapshot. Free counts are what Slurm would give to a
// new job now: a node that is down, drained or completing has none.
type Node struct {
	Name string
	// Cores and GPUs are the node's totals.
	Cores, GPUs int
	// FreeCores and FreeGPUs lie between 0 and the totals. They are A_n^cpu
	// and A_n^gpu of the papers.
	FreeCores, FreeGPUs int
	// Memory and FreeMemory are in MiB and matter to jobs that ask for memory.
	Memory, FreeMemory int
	// Features are the words that --constraint may ask for, Partitions the
	// partitions that the node belongs to.
	Features, Partitions []string
	// Switches are the switches above the node, the leaf switch first, each a
	// number from 0 within its level; none in a flat network.
	Switches []int
}

// Idle reports whether no job holds a core of the node, so that its free cores
// cannot grow any more. GPUs do not matter for the number of cores that Slurm
// takes from a node.
func (n Node) Idle() bool { return n.FreeCores == n.Cores }

// Validate returns an error if a count is negative or more is free than there
// is.
func (n Node) Validate() error {
	if n.FreeCores < 0 || n.FreeCores > n.Cores {
		return fmt.Errorf("check node %s: %d free cores, allowed are 0 to its total of %d", n.Name, n.FreeCores, n.Cores)
	}
	if n.FreeGPUs < 0 || n.FreeGPUs > n.GPUs {
		return fmt.Errorf("check node %s: %d free GPUs, allowed are 0 to its total of %d", n.Name, n.FreeGPUs, n.GPUs)
	}
	if n.FreeMemory < 0 || n.FreeMemory > n.Memory {
		return fmt.Errorf("check node %s: %d MiB of free memory, allowed are 0 to its total of %d", n.Name, n.FreeMemory, n.Memory)
	}
	return nil
}

// Set is the paper's 4-tuple (n_i, n_j, c, g) of AUCSCHED section 4: a
// contiguous block of nodes that all have enough free.
type Set struct {
	// First and Last are indices of nodes, both inclusive.
	First, Last int
	// Cores is the number of free cores over the whole block.
	Cores int
	// MinCores and GPUs are what every node of the block was asked to have
	// free.
	MinCores, GPUs int
}

// Len is the number of nodes of the set.
func (s Set) Len() int { return s.Last - s.First + 1 }

// String shows the set with 0-based indices, as in
// "[0,63] 64 nodes, 512 cores, each >= 4 cores and >= 1 GPUs".
func (s Set) String() string {
	return fmt.Sprintf("[%d,%d] %d nodes, %d cores, each >= %d cores and >= %d GPUs",
		s.First, s.Last, s.Len(), s.Cores, s.MinCores, s.GPUs)
}

// Sets returns the maximal contiguous blocks of nodes with at least
// max(1, minCores) free cores and at least gpus free GPUs each, in node order.
// The paper asks for A_n^cpu > 0 only; asking for minCores at once serves the
// jobs that name their cores per node ("each node in the nodeset is checked if
// there are R_j^cpn cores available on that node").
func Sets(nodes []Node, minCores, gpus int) []Set {
	return SetsWhere(nodes, minCores, gpus, func(int) bool { return true })
}

// SetsWhere returns the blocks that Sets would find if the nodes that are not
// allowed, by index, had nothing free.
func SetsWhere(nodes []Node, minCores, gpus int, allowed func(int) bool) []Set {
	minCores = max(1, minCores)
	var sets []Set
	open := false
	for i := range nodes {
		// Nodes are not copied: this loop is the auction's innermost.
		n := &nodes[i]
		if n.FreeCores < minCores || n.FreeGPUs < gpus || !allowed(i) {
			open = false
			continue
		}
		if !open {
			sets = append(sets, Set{First: i, MinCores: minCores, GPUs: gpus})
			open = true
		}
		last := &sets[len(sets)-1]
		last.Last = i
		last.Cores += n.FreeCores
	}
	return sets
}
