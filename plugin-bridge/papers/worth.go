package papers

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// worth is what IPSCHED's program maximises: the sum of of_j (s_j - c_j), all of them whole numbers. With literal
// priorities of priority/basic, stages are the same in two parts: the sums of stages[0] and, among the points that are
// equal there, of stages[1]. No solver's tolerances hold the numbers of of then.
type worth struct {
	of     []float64
	stages [][]float64
}

// worthOf returns what the jobs of a window are worth on a machine of so many nodes.
//
// Literal priorities are 4.29e9 - behind_j, and s_j - c_j are multiples of 1/2N. So the papers' sum is first that of
// s_j - c_j, times r_j where cores count, and then that of behind_j (s_j - c_j). In place of 4.29e9 stands the least
// number with this order, which is below it on the papers' machines.
func worthOf(s auction.Snapshot, objective Objective, nodes int) worth {
	cores := make([]float64, len(s.Jobs))
	for j, job := range s.Jobs {
		cores[j] = 1
		if objective == ByPriorityCores {
			cores[j] = float64(job.Tasks())
		}
	}
	if !s.Lexicographic() {
		w := worth{of: s.Priorities()}
		for j := range w.of {
			w.of[j] *= cores[j]
		}
		return w
	}
	// The second sum is at most that over all jobs, and at most that over all free cores.
	behind, all, furthest, free := s.Behind(), 0.0, 0.0, 0.0
	for j := range behind {
		all += behind[j] * cores[j]
		furthest = max(furthest, behind[j])
	}
	for _, n := range s.Nodes {
		free += float64(n.FreeCores)
	}
	large := 1 + 2*float64(nodes)*min(all, furthest*free)
	w := worth{of: make([]float64, len(s.Jobs)), stages: [][]float64{cores, make([]float64, len(s.Jobs))}}
	for j := range behind {
		w.of[j] = cores[j] * (large - behind[j])
		w.stages[1][j] = -cores[j] * behind[j]
	}
	return w
}
