package rehearsal

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/workloads"
)

// choose is the selection of select/cons_tres without topology (_eval_nodes):
// the block of consecutive nodes with the fewest cores that suffice; else, unless
// the job is contiguous, the largest block as a whole, and so on. It returns nil
// if the open nodes do not suffice.
func choose(j workloads.Job, nodes []nodeset.Node, open nodeMask) (chosen, cores []int) {
	type block struct{ first, nodes, cores int }
	least := max(1, j.CoresPerNode)
	usable := func(i int) int {
		n := &nodes[i]
		switch {
		case !open.has(i) || n.FreeCores < least || n.FreeGPUs < j.GPUsMin:
			return 0
		case j.CoresPerNode > 0:
			return j.CoresPerNode
		}
		return n.FreeCores
	}
	var blocks []block
	inBlock, allNodes, allCores := false, 0, 0
	for i := range nodes {
		c := usable(i)
		if c == 0 {
			inBlock = false
			continue
		}
		if !inBlock {
			blocks = append(blocks, block{first: i})
			inBlock = true
		}
		b := &blocks[len(blocks)-1]
		b.nodes++
		b.cores += c
		allNodes++
		allCores += c
	}
	if allNodes < j.Nodes || allCores < j.Cores {
		return nil, nil
	}
	taken := make([]int, len(nodes))
	wantNodes, wantCores := j.Nodes, j.Cores
	for wantNodes > 0 || wantCores > 0 {
		best, enough := -1, false
		for i, b := range blocks {
			if b.nodes == 0 {
				continue
			}
			suffices := b.nodes >= wantNodes && b.cores >= wantCores
			switch {
			case best < 0, suffices && !enough,
				suffices && b.cores < blocks[best].cores,
				!suffices && !enough && b.cores > blocks[best].cores:
				best, enough = i, suffices
			}
		}
		if best < 0 || !enough && j.Contiguous {
			return nil, nil
		}
		b := blocks[best]
		blocks[best].nodes = 0
		for i := b.first; i < b.first+b.nodes && (wantNodes > 0 || wantCores > 0); i++ {
			c := min(usable(i), max(1, wantCores-max(0, wantNodes-1)))
			taken[i] = c
			wantNodes--
			wantCores -= c
		}
	}
	for i, c := range taken {
		if c > 0 {
			chosen, cores = append(chosen, i), append(cores, c)
		}
	}
	return chosen, cores
}
