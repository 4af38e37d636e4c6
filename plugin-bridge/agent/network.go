package agent

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// network is the tree of switches above the nodes; the zero value is flat.
type network struct {
	// above are the switches above each node, see machine.Node.
	above [][]int
	// leaves are the numbers of nodes below each leaf switch, the largest first.
	leaves []int
}

// newNetwork numbers Slurm's switches level by level. Where a branch of the tree has fewer levels than others, its
// top switch also counts as one of the missing levels. A node below no switch counts as a switch of its own.
func newNetwork(switches []slurmctl.Switch, index map[string]int) (network, error) {
	if len(switches) == 0 {
		return network{}, nil
	}
	levels := 0
	for _, s := range switches {
		levels = max(levels, s.Level+1)
	}
	names := make([][]string, levels)
	for l := range names {
		names[l] = make([]string, len(index))
	}
	for _, s := range switches {
		for _, n := range s.Nodes {
			at, known := index[n]
			if !known {
				return network{}, fmt.Errorf("switch %s has node %s, which is not in the node table", s.Name, n)
			}
			names[s.Level][at] = s.Name
		}
	}
	below := make([]string, len(index))
	for name, at := range index {
		below[at] = "node " + name
	}
	n := network{above: make([][]int, len(index))}
	for l, level := range names {
		numbers := make(map[string]int)
		sizes := make(map[string]int)
		for at, name := range level {
			if name == "" {
				name = below[at]
			}
			if _, known := numbers[name]; !known {
				numbers[name] = len(numbers)
			}
			sizes[name]++
			below[at] = name
			n.above[at] = append(n.above[at], numbers[name])
		}
		if l == 0 {
			for _, size := range sizes {
				n.leaves = append(n.leaves, size)
			}
		}
	}
	slices.SortFunc(n.leaves, func(a, b int) int { return b - a })
	return n, nil
}

// obstacle says why a job can never have as few leaf switches as it wants, "" if it
// can. Slurm itself would give the job more switches after some time
// (max_switch_wait); the agent never does.
func (n network) obstacle(r bidding.Job) string {
	wanted := min(r.Options.Switches, len(n.leaves))
	if wanted == 0 || len(r.Alternatives) > 0 {
		return ""
	}
	room := 0
	for _, size := range n.leaves[:wanted] {
		room += size
	}
	if r.Nodes <= room {
		return ""
	}
	return fmt.Sprintf("it wants %d nodes below %d leaf switches, which have %d at most", r.Nodes, wanted, room)
}
