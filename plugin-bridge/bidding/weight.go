package bidding

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// levels are the weights of the nodes that a job with such options may have, ascending. A job bids for nodes of up to
// each of these, and prefers its bids of a lower one, as Slurm takes "nodes with the lowest weight that satisfies the
// job's requirements" (slurm.conf(5), Weight). So a job that needs no GPUs leaves the nodes with GPUs to others while
// there is room elsewhere. The last level is the largest number. No paper has weights.
func levels(nodes []machine.Node, o JobOptions) []int {
	var all []int
	for i := range nodes {
		if n := &nodes[i]; !slices.Contains(all, n.Weight) && o.Admits(i, *n) {
			all = append(all, n.Weight)
		}
	}
	if len(all) == 0 {
		return []int{math.MaxInt}
	}
	slices.Sort(all)
	all[len(all)-1] = math.MaxInt
	return all
}

// ladder is how jobs of one rule can be spread over nodes: a shaper for each of the levels.
type ladder struct {
	levels  []int
	shapers []shaper
}

func newLadder(nodes []machine.Node, o JobOptions, fewest bool) ladder {
	l := ladder{levels: levels(nodes, o)}
	for _, weight := range l.levels {
		l.shapers = append(l.shapers, newShaper(nodes, o, weight, fewest))
	}
	return l
}

// shapes returns the shapes of a choice, level by level. at is its index among the choices of
// the job.
func (l ladder) shapes(c Choice, at int) []shape {
	var all []shape
	for i, m := range l.shapers {
		for _, sh := range m.shapes(c.Job) {
			sh.choice, sh.weight = at, l.levels[i]
			all = append(all, sh)
		}
	}
	return all
}

// rank is the rank of a bid on such nodes among the bids of a job, by choice and by the heaviest
// of the nodes, and of is the number of ranks.
func (l ladder) rank(nodes []machine.Node, at []int, choice, choices int) (rank, of int) {
	heaviest := 0
	for _, n := range at {
		heaviest = max(heaviest, nodes[n].Weight)
	}
	level, _ := slices.BinarySearch(l.levels, heaviest)
	return choice*len(l.levels) + level, choices * len(l.levels)
}
