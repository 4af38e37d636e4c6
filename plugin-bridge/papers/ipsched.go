package papers

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Objective selects what IPSCHED maximises; empty means ByPriority.
type Objective string

// The objectives of IPSCHED Table IV.
const (
	// ByPriority is sum_j p_j (s_j - c_j).
	ByPriority Objective = "p(s-c)"
	// ByPriorityCores is sum_j p_j r_j (s_j - c_j), which favours large jobs.
	ByPriorityCores Objective = "p r (s-c)"
)

// formulateIPSCHED returns the program of IPSCHED section III for a valid snapshot,
// with the given N_min,j and N_max,j:
//
//	    maximise sum_j p_j (s_j - c_j), or sum_j p_j r_j (s_j - c_j)
//	(1) sum_j x_ij      <= R_i                             for each node i
//	(2) sum_i x_ij       = r_j s_j                         for each job j
//	(3) sum_j g_j t_ij  <= G_i                             for each node i
//	(4) 2N c_j           = sum_i t_ij                      for each job j
//	(5) N_min,j s_j     <= 2N c_j <= N_max,j s_j           for each job j
//	(6) t_ij <= x_ij    <= min(R_i, r_j) t_ij              for each i and j
//	(8) x_ij             = R_j^cpn t_ij                    where asked for
//
// s_j is 1 if job j starts, and t_ij is 1 if it does so on node i. x_ij is the number of its cores there, and c_j is
// the number of its nodes divided by 2N. Equation (6) is the linear form of "t_ij = 1 if x_ij > 0, else 0".
//
// P_j are [auction.Snapshot.Priorities], or with the same order of sums for literal ones ([worthOf]).
func formulateIPSCHED(s auction.Snapshot, objective Objective, ranges []nodeRange) model {
	b := newBuilder("ipsched", s, ranges)
	// The sizes of IPSCHED Tables II and III, without (8), which few jobs have.
	jobs, nodes := len(s.Jobs), len(s.Nodes)
	b.reserve(2*jobs*(1+nodes), 2*nodes+4*jobs+2*jobs*nodes)
	w := worthOf(s, objective, nodes)
	selected, packing := make([]int, len(s.Jobs)), make([]int, len(s.Jobs))
	for j, job := range s.Jobs {
		selected[j] = b.variable(j, 1, w.of[j], "s_%d", job.ID)
		packing[j] = b.variable(j, 0, -w.of[j], "c_%d", job.ID)
		c := &b.model.Program.Variables[packing[j]]
		c.Integer, c.Upper = false, 0.5
	}
	b.model.movable = true
	used, taken := b.grid(s, 1, "t"), b.grid(s, 0, "x")
	for j := range s.Jobs {
		for i := range s.Nodes {
			b.takes(taken[j][i], j, i, 1)
		}
	}
	b.nodeRows(s, used, taken)
	b.model.startsNone = true
	for j, job := range s.Jobs {
		b.jobRows(job, ranges[j], selected[j], packing[j], used[j], taken[j])
		b.model.startsNone = b.model.startsNone && !fits(job, ranges[j], s.Nodes)
	}
	for _, stage := range w.stages {
		objective := make([]float64, len(b.model.Program.Variables))
		for j := range s.Jobs {
			// c_j are multiples of 1/2N.
			objective[selected[j]] = stage[j] * float64(2*nodes)
			objective[packing[j]] = -objective[selected[j]]
		}
		b.model.stages = append(b.model.stages, objective)
	}
	return b.model
}

// fits says whether a job could start if no other did. By (3), (5), (6) and (8) that needs nodes that have its GPUs
// and its cores per node, at least N_min of them. By (1) and (2) these must have its cores.
func fits(job bidding.Job, limits nodeRange, nodes []machine.Node) bool {
	count, cores := 0, 0
	for _, n := range nodes {
		if n.FreeCores >= max(1, job.CoresPerNode) && n.FreeGPUs >= job.GPUs {
			count++
			cores += n.FreeCores
		}
	}
	return count >= limits.Min && cores >= job.Tasks()
}

// grid adds a variable for each job and node. Its upper bound is upper, or, if that
// is 0, the most cores that the job could take there, min(R_i, r_j).
func (b *builder) grid(s auction.Snapshot, upper int, letter string) [][]int {
	all := make([][]int, len(s.Jobs))
	for j, job := range s.Jobs {
		all[j] = make([]int, 0, len(s.Nodes))
		for i, node := range s.Nodes {
			most := upper
			if most == 0 {
				most = min(node.FreeCores, job.Tasks())
			}
			all[j] = append(all[j], b.variable(j, most, 0, "%s_%d_%s", letter, job.ID, b.nodes[i]))
		}
	}
	return all
}

// nodeRows adds equations (1) and (3).
func (b *builder) nodeRows(s auction.Snapshot, used, taken [][]int) {
	for i, node := range s.Nodes {
		one, three := termsOf(len(s.Jobs)), termsOf(len(s.Jobs))
		for j, job := range s.Jobs {
			one.add(taken[j][i], 1)
			three.add(used[j][i], float64(job.GPUs))
		}
		b.row(one, program.AtMost, float64(node.FreeCores), "(1)_%s", b.nodes[i])
		b.row(three, program.AtMost, float64(node.FreeGPUs), "(3)_%s", b.nodes[i])
	}
}

// jobRows adds equations (2), (4), (5), (6) and (8) of one job.
func (b *builder) jobRows(job bidding.Job, limits nodeRange, selected, packing int, used, taken []int) {
	twoN := float64(2 * len(used))
	two, four, least, most := termsOf(len(used)+1), termsOf(len(used)+1), termsOf(2), termsOf(2)
	two.add(selected, -float64(job.Tasks()))
	four.add(packing, -twoN)
	least.add(selected, -float64(limits.Min))
	most.add(selected, -float64(limits.Max))
	least.add(packing, twoN)
	most.add(packing, twoN)
	for i := range used {
		two.add(taken[i], 1)
		four.add(used[i], 1)
	}
	b.row(two, program.Equal, 0, "(2)_%d", job.ID)
	b.row(four, program.Equal, 0, "(4)_%d", job.ID)
	b.row(least, program.AtLeast, 0, "(5)_min_%d", job.ID)
	b.row(most, program.AtMost, 0, "(5)_max_%d", job.ID)
	for i := range used {
		usedOnly, takenOnly := termsOf(2), termsOf(2)
		usedOnly.add(used[i], 1)
		usedOnly.add(taken[i], -1)
		takenOnly.add(used[i], -b.model.Program.Variables[taken[i]].Upper)
		takenOnly.add(taken[i], 1)
		b.row(usedOnly, program.AtMost, 0, "(6)_used_%d_%s", job.ID, b.nodes[i])
		b.row(takenOnly, program.AtMost, 0, "(6)_taken_%d_%s", job.ID, b.nodes[i])
		if job.CoresPerNode > 0 {
			perNode := termsOf(2)
			perNode.add(used[i], -float64(job.CoresPerNode))
			perNode.add(taken[i], 1)
			b.row(perNode, program.Equal, 0, "(8)_%d_%s", job.ID, b.nodes[i])
		}
	}
}
