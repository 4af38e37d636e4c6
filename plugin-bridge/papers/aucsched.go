package papers

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// formulateAUCSCHED returns the program of AUCSCHED section 3 for a valid snapshot and
// bids of its jobs, which are grouped by job:
//
//	(1) maximise sum_j sum_{c in B_j} (P_j + alpha F_jc) b_jc
//	(2) sum_{c in B_j} b_jc               <= 1                      for each job j
//	(3) sum_{n in N_c} u_jn               >= b_jc R_jc^node         for each bid c of j
//	    sum_n u_jn                         = sum_c b_jc R_jc^node   for each job j
//	(4) sum_n (u_jn + r_jn)                = sum_c b_jc R_jc^cpu    for each job j
//	(5) sum_j (u_jn + r_jn)               <= A_n^cpu                for each node n
//	(6) sum_j u_jn R_j^gpu                <= A_n^gpu                for each node n
//	(7) r_jn <= u_jn min(A_n^cpu - 1, R_j,max^cpu - 1)              for each j and n
//	(8) u_jn + r_jn                        = sum_{c in C_jn} b_jc R_j^cpn
//
// u_jn is 1 if job j gets a core on node n, and r_jn is the number of its further
// cores there. A job whose bid c wins gets cores on all nodes N_c of the bid; of the
// bid's own cores T_in only the sum counts, R_jc^cpu. (8) is for jobs that ask for
// cores per node. Alpha is auction.Alpha, which takes the place of equation (10). With literal priorities the stages are
// the number of winners, their positions and F.
func formulateAUCSCHED(s auction.Snapshot, bids []bidding.Bid) model {
	b := newBuilder("aucsched", s, nodeRanges(s))
	p, alpha := s.Priorities(), auction.Alpha(len(bids))
	perJob := make([]jobBids, len(s.Jobs))
	for _, bid := range bids {
		own := &perJob[bid.Job]
		own.variables = append(own.variables, b.variable(bid.Job, 1, p[bid.Job]+alpha*bid.Preference, "b_%d_%d", s.Jobs[bid.Job].ID, len(own.bids)))
		own.bids = append(own.bids, bid)
	}
	stages := [][]float64{make([]float64, len(bids)), make([]float64, len(bids)), make([]float64, len(bids))}
	behind := s.Behind()
	for i, bid := range bids {
		stages[0][i], stages[1][i], stages[2][i] = 1, -behind[bid.Job], bid.Preference
	}
	five, six := make([]terms, len(s.Nodes)), make([]terms, len(s.Nodes))
	for j, own := range perJob {
		if len(own.bids) == 0 {
			continue
		}
		b.bidRows(s, j, own, five, six)
	}
	for n, node := range s.Nodes {
		b.row(five[n], program.AtMost, float64(node.FreeCores), "(5)_%s", b.nodes[n])
	}
	for n, node := range s.Nodes {
		b.row(six[n], program.AtMost, float64(node.FreeGPUs), "(6)_%s", b.nodes[n])
	}
	if s.Lexicographic() {
		rest := make([]float64, len(b.model.Program.Variables)-len(bids))
		for _, stage := range stages {
			b.model.stages = append(b.model.stages, append(stage, rest...))
		}
	}
	return b.model
}

// pointOf is the point of formulateAUCSCHED's model at which the selected bids win with
// their own cores T_in: u_jn is 1 and r_jn is T_in - 1 on their nodes. The variables b
// have the order of the bids, and of a job's node the takes have u before r.
func (m model) pointOf(bids []bidding.Bid, selected []int) []float64 {
	type pair struct{ job, node int }
	values, left := make([]float64, len(m.Program.Variables)), make(map[pair]int)
	for _, i := range selected {
		values[i] = 1
		for at, n := range bids[i].Nodes {
			left[pair{bids[i].Job, n}] = bids[i].Cores[at]
		}
	}
	for _, t := range m.takes {
		at := pair{t.job, t.node}
		n := min(left[at], int(m.Program.Variables[t.variable].Upper))
		values[t.variable] = float64(n)
		left[at] -= n
	}
	return values
}

// jobBids are the bids of one job and their variables b.
type jobBids struct {
	bids      []bidding.Bid
	variables []int
}

// bidRows adds the variables u and r of a job and its equations (2), (3), (4),
// (7) and (8), and its terms to (5) and (6).
func (b *builder) bidRows(s auction.Snapshot, j int, own jobBids, five, six []terms) {
	job := s.Jobs[j]
	var two, nodesOf, coresOf terms
	most := 0
	var nodes []int
	for c, bid := range own.bids {
		two.add(own.variables[c], 1)
		nodesOf.add(own.variables[c], -float64(len(bid.Nodes)))
		coresOf.add(own.variables[c], -float64(bid.Request().Tasks))
		most = max(most, bid.Request().Tasks)
		nodes = append(nodes, bid.Nodes...)
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	used := make(map[int]int, len(nodes))
	b.row(two, program.AtMost, 1, "(2)_%d", job.ID)
	for _, n := range nodes {
		free := s.Nodes[n].FreeCores
		u := b.variable(j, 1, 0, "u_%d_%s", job.ID, b.nodes[n])
		r := b.variable(j, max(0, min(free-1, most-1)), 0, "r_%d_%s", job.ID, b.nodes[n])
		used[n] = u
		b.takes(u, j, n, 1)
		b.takes(r, j, n, 1)
		nodesOf.add(u, 1)
		coresOf.add(u, 1)
		coresOf.add(r, 1)
		five[n].add(u, 1)
		five[n].add(r, 1)
		six[n].add(u, float64(job.GPUs))
		var seven terms
		seven.add(u, -float64(min(free-1, most-1)))
		seven.add(r, 1)
		b.row(seven, program.AtMost, 0, "(7)_%d_%s", job.ID, b.nodes[n])
		if job.CoresPerNode > 0 {
			var eight terms
			for c, bid := range own.bids {
				if slices.Contains(bid.Nodes, n) {
					eight.add(own.variables[c], -float64(job.CoresPerNode))
				}
			}
			eight.add(u, 1)
			eight.add(r, 1)
			b.row(eight, program.Equal, 0, "(8)_%d_%s", job.ID, b.nodes[n])
		}
	}
	for c, bid := range own.bids {
		var three terms
		three.add(own.variables[c], -float64(len(bid.Nodes)))
		for _, n := range bid.Nodes {
			three.add(used[n], 1)
		}
		b.row(three, program.AtLeast, 0, "(3)_%d_%d", job.ID, c)
	}
	b.row(nodesOf, program.Equal, 0, "(3)_%d", job.ID)
	b.row(coresOf, program.Equal, 0, "(4)_%d", job.ID)
}
