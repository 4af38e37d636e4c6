package formulation

import (
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Objective selects what IPSCHED maximises.
type Objective string

// The objectives of IPSCHED Table IV.
const (
	// ByPriority is sum_j p_j (s_j - c_j).
	ByPriority Objective = "p(s-c)"
	// ByPriorityCores is sum_j p_j r_j (s_j - c_j), which favours large jobs.
	ByPriorityCores Objective = "p r (s-c)"
)

// IPSCHEDOptions select a form of the program. The zero value is the repaired
// form by priority, with the nodes that the jobs ask for.
type IPSCHEDOptions struct {
	// Objective is ByPriority if empty.
	Objective Objective
	// Ranges are N_min,j and N_max,j; nil means NodeRanges of the snapshot.
	Ranges []NodeRange
	// Literal takes equation (5) and the priorities as they are written.
	Literal bool
}

// IPSCHED returns the program of IPSCHED section III for a valid snapshot:
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
// s_j and t_ij are 0 or 1, x_ij whole, and c_j is a number up to 1/2. Equation
// (6) is the linear form of "t_ij = 1 if x_ij > 0, else 0".
func IPSCHED(s auction.Snapshot, o IPSCHEDOptions) Model {
	ranges := o.Ranges
	if ranges == nil {
		ranges = NodeRanges(s)
	}
	b := newBuilder("ipsched", s, ranges)
	p := priorities(s, o.Literal)
	selected, packing := make([]int, len(s.Jobs)), make([]int, len(s.Jobs))
	for j, job := range s.Jobs {
		weight := p[j]
		if o.Objective == ByPriorityCores {
			weight *= float64(cores(job))
		}
		selected[j] = b.variable(1, weight, "s_%d", job.ID)
		packing[j] = b.variable(0, -weight, "c_%d", job.ID)
		c := &b.model.Program.Variables[packing[j]]
		c.Integer, c.Upper = false, 0.5
	}
	used, taken := b.grid(s, 1, "t"), b.grid(s, 0, "x")
	for j := range s.Jobs {
		for i := range s.Nodes {
			b.takes(taken[j][i], j, i, 1)
		}
	}
	b.nodeRows(s, used, taken)
	for j, job := range s.Jobs {
		b.jobRows(job, ranges[j], o.Literal, selected[j], packing[j], used[j], taken[j])
	}
	return b.model
}

// grid adds a variable for each job and node, from 0 to upper, or to min(R_i,
// r_j) where that is 0.
func (b *builder) grid(s auction.Snapshot, upper int, letter string) [][]int {
	all := make([][]int, len(s.Jobs))
	for j, job := range s.Jobs {
		for i, node := range s.Nodes {
			most := upper
			if most == 0 {
				most = min(node.FreeCores, cores(job))
			}
			all[j] = append(all[j], b.variable(most, 0, "%s_%d_%s", letter, job.ID, b.nodes[i]))
		}
	}
	return all
}

// nodeRows adds equations (1) and (3).
func (b *builder) nodeRows(s auction.Snapshot, used, taken [][]int) {
	for i, node := range s.Nodes {
		var one, three terms
		for j, job := range s.Jobs {
			one.add(taken[j][i], 1)
			three.add(used[j][i], float64(job.GPUs))
		}
		b.row(one, program.AtMost, float64(node.FreeCores), "(1)_%s", b.nodes[i])
		b.row(three, program.AtMost, float64(node.FreeGPUs), "(3)_%s", b.nodes[i])
	}
}

// jobRows adds equations (2), (4), (5), (6) and (8) of one job.
func (b *builder) jobRows(job auction.Job, limits NodeRange, literal bool, selected, packing int, used, taken []int) {
	twoN := float64(2 * len(used))
	var two, four, least, most terms
	two.add(selected, -float64(cores(job)))
	four.add(packing, -twoN)
	lower, upper := 0.0, 0.0
	if literal {
		lower, upper = float64(limits.Min), float64(limits.Max)
	} else {
		least.add(selected, -float64(limits.Min))
		most.add(selected, -float64(limits.Max))
	}
	least.add(packing, twoN)
	most.add(packing, twoN)
	for i := range used {
		two.add(taken[i], 1)
		four.add(used[i], 1)
	}
	b.row(two, program.Equal, 0, "(2)_%d", job.ID)
	b.row(four, program.Equal, 0, "(4)_%d", job.ID)
	b.row(least, program.AtLeast, lower, "(5)_min_%d", job.ID)
	b.row(most, program.AtMost, upper, "(5)_max_%d", job.ID)
	for i := range used {
		var usedOnly, takenOnly, perNode terms
		usedOnly.add(used[i], 1)
		usedOnly.add(taken[i], -1)
		takenOnly.add(used[i], -b.model.Program.Variables[taken[i]].Upper)
		takenOnly.add(taken[i], 1)
		b.row(usedOnly, program.AtMost, 0, "(6)_used_%d_%s", job.ID, b.nodes[i])
		b.row(takenOnly, program.AtMost, 0, "(6)_taken_%d_%s", job.ID, b.nodes[i])
		if job.CoresPerNode > 0 {
			perNode.add(used[i], -float64(job.CoresPerNode))
			perNode.add(taken[i], 1)
			b.row(perNode, program.Equal, 0, "(8)_%d_%s", job.ID, b.nodes[i])
		}
	}
}
