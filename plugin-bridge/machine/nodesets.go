package machine

import "fmt"

// Nodeset is the paper's 4-tuple (n_i, n_j, c, g) of AUCSCHED section 4: a
// contiguous block of nodes that all have enough free.
type Nodeset struct {
	// First and Last are indices of nodes, both inclusive.
	First, Last int
	// Cores is the number of free cores over the whole block.
	Cores int
	// MinCores and GPUs are what every node of the block was asked to have
	// free.
	MinCores, GPUs int
}

// Len is the number of nodes of the set.
func (s Nodeset) Len() int { return s.Last - s.First + 1 }

// String shows the set with 0-based indices, as in
// "[0,63] 64 nodes, 512 cores, each >= 4 cores and >= 1 GPUs".
func (s Nodeset) String() string {
	return fmt.Sprintf("[%d,%d] %d nodes, %d cores, each >= %d cores and >= %d GPUs",
		s.First, s.Last, s.Len(), s.Cores, s.MinCores, s.GPUs)
}

// Nodesets returns the maximal contiguous blocks of nodes with at least max(1, minCores) free cores and at least gpus
// free GPUs each, in node order. The paper asks for A_n^cpu > 0 only. Asking for minCores at once serves the jobs
// that name their cores per node ("each node in the nodeset is checked if there are R_j^cpn cores available on that
// node").
func Nodesets(nodes []Node, minCores, gpus int) []Nodeset {
	return NodesetsWhere(nodes, minCores, gpus, func(int) bool { return true })
}

// NodesetsWhere returns the blocks that Nodesets would find if the nodes that are
// not allowed, by index, had nothing free.
func NodesetsWhere(nodes []Node, minCores, gpus int, allowed func(int) bool) []Nodeset {
	minCores = max(1, minCores)
	var sets []Nodeset
	open := false
	for i := range nodes {
		// Nodes are not copied: this loop is the auction's innermost.
		n := &nodes[i]
		if n.FreeCores < minCores || n.FreeGPUs < gpus || !allowed(i) {
			open = false
			continue
		}
		if !open {
			sets = append(sets, Nodeset{First: i, MinCores: minCores, GPUs: gpus})
			open = true
		}
		last := &sets[len(sets)-1]
		last.Last = i
		last.Cores += n.FreeCores
	}
	return sets
}
