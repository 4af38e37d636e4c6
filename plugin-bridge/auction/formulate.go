package auction

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
)

// Formulate writes the integer program of AUCSCHED2 section 2, one column for
// each bid:
//
//	(1) maximise sum_j sum_{i in B_j} (P_j + alpha F_i) b_i
//	(2) sum_{i in B_j} b_i              <= 1        for each job j
//	(3) sum_i b_i T_in                  <= A_n^cpu  for each node n
//	(4) sum_j sum_{i in B_j} b_i U_in R_j^gpu <= A_n^gpu  for each node n
//
// Two kinds of constraints are ours, for options that the papers do not have, and are named so. m_in is the memory
// that a bid takes, l_jk the licences k of a job:
//
//	(memory)   sum_i b_i m_in                   <= free memory of each node n
//	(licences) sum_j sum_{i in B_j} b_i l_jk    <= free licences k
//
// A [Reservation] of nodes N for job k begins at t. It adds a constraint for each of its nodes and each of cores,
// GPUs and memory, over the bids of other jobs whose time limit ends after t:
//
//	(reserved) sum_i b_i T_in <= what is free of n at t - what k takes of it
//
// Those of [Snapshot].Whole, for exclusive jobs, are written likewise.
//
// An exclusive bid has all cores of its nodes as T_in, so that (3) keeps every
// other bid off. P_j are [Snapshot.Priorities] and alpha is equation (10) of
// AUCSCHED; another [Objective] takes the place of (1). Its values are those of
// [DefaultRule].
//
// Two reductions keep the set of solutions exactly. Constraints that no selection with at most one bid per job can
// violate are left out. Of constraints with the same left-hand side only the one with the least bound is kept.
func Formulate(s Snapshot, bids []bidding.Bid, o Objective) Problem {
	return Options{Objective: o}.formulate(s, bids)
}

// formulate is Formulate with the rule of these options.
func (o Options) formulate(s Snapshot, bids []bidding.Bid) Problem {
	f := formulation{bids: bids, index: make(map[uint64][]int), best: make([]int, len(s.Jobs))}
	f.problem.Objective, f.problem.Enough = o.coefficients(s, bids), o.Objective.enough(s)

	ones := slices.Repeat([]int{1}, len(bids))
	perJob := make([][]int, len(s.Jobs))
	for i, b := range bids {
		perJob[b.Job] = append(perJob[b.Job], i)
	}
	for j, columns := range perJob {
		switch {
		case len(columns) == 0:
		case len(columns) == 1:
			f.problem.Slack++
		default:
			f.keep(Constraint{Kind: JobRow, Job: s.Jobs[j].ID, Columns: columns, Coefficients: ones[:len(columns)], Bound: 1})
		}
	}

	cores := matrix(len(s.Nodes), bids, func(b bidding.Bid, at int) int { return b.Cores[at] })
	gpus := matrix(len(s.Nodes), bids, func(b bidding.Bid, _ int) int { return b.GPUs })
	for n, node := range s.Nodes {
		f.resource(Constraint{Kind: CoresRow, Of: node.Name, Bound: node.FreeCores}, cores[n])
	}
	for n, node := range s.Nodes {
		f.resource(Constraint{Kind: GPUsRow, Of: node.Name, Bound: node.FreeGPUs}, gpus[n])
	}
	if slices.ContainsFunc(bids, func(b bidding.Bid) bool { return b.MemoryPerNode+b.MemoryPerCore > 0 }) {
		memory := matrix(len(s.Nodes), bids, bidding.Bid.Memory)
		for n, node := range s.Nodes {
			f.resource(Constraint{Kind: MemoryRow, Of: node.Name, Bound: node.FreeMemory}, memory[n])
		}
	}
	for _, name := range licenceNames(s.Jobs) {
		var t terms
		for i, b := range bids {
			t.add(i, s.Jobs[b.Job].Options.Licences.Count(name))
		}
		f.resource(Constraint{Kind: LicencesRow, Of: name, Bound: s.Licences.Count(name)}, t)
	}
	f.reserved(s, s.Reservation)
	for _, r := range s.Whole {
		f.reserved(s, r)
	}
	return f.problem
}

// licenceNames returns the names of all licences that the jobs ask for, sorted.
func licenceNames(jobs []bidding.Job) []string {
	var names []string
	for _, j := range jobs {
		for _, l := range j.Options.Licences {
			names = append(names, l.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// terms is the left-hand side of a row.
type terms struct{ columns, coefficients []int }

func (t *terms) add(column, coefficient int) {
	if coefficient > 0 {
		t.columns = append(t.columns, column)
		t.coefficients = append(t.coefficients, coefficient)
	}
}

// matrix returns, for each node, the bids that take something there and how
// much. The lines share two arrays: a window has about a million terms.
func matrix(nodes int, bids []bidding.Bid, amount func(b bidding.Bid, at int) int) []terms {
	counts := make([]int, nodes)
	total := 0
	for _, b := range bids {
		for at, n := range b.Nodes {
			if amount(b, at) > 0 {
				counts[n]++
				total++
			}
		}
	}
	columns, coefficients := make([]int, total), make([]int, total)
	lines := make([]terms, nodes)
	start := 0
	for n, c := range counts {
		lines[n] = terms{columns[start : start : start+c], coefficients[start : start : start+c]}
		start += c
	}
	for i, b := range bids {
		for at, n := range b.Nodes {
			if a := amount(b, at); a > 0 {
				lines[n].columns = append(lines[n].columns, i)
				lines[n].coefficients = append(lines[n].coefficients, a)
			}
		}
	}
	return lines
}

// formulation is a problem under construction.
type formulation struct {
	bids    []bidding.Bid
	problem Problem
	// index finds kept rows by a hash of their left-hand side.
	index map[uint64][]int
	// best is scratch space: the largest coefficient of each job.
	best []int
}

// resource adds a row with the given terms for what is scarce on a node, or a
// licence, unless no selection can exceed its bound.
func (f *formulation) resource(row Constraint, t terms) {
	if len(t.columns) == 0 {
		return
	}
	most := 0
	for i, c := range t.columns {
		job := f.bids[c].Job
		if more := t.coefficients[i] - f.best[job]; more > 0 {
			f.best[job] += more
			most += more
		}
	}
	for _, c := range t.columns {
		f.best[f.bids[c].Job] = 0
	}
	if most <= row.Bound {
		f.problem.Slack++
		return
	}
	row.Columns, row.Coefficients = t.columns, t.coefficients
	f.keep(row)
}

// keep adds a row, or lowers the bound of the equal row that is there already.
func (f *formulation) keep(row Constraint) {
	// FNV-1a over whole words; a collision costs a comparison only.
	hash := uint64(14695981039346656037)
	for t, i := range row.Columns {
		hash = (hash ^ uint64(i)) * 1099511628211
		hash = (hash ^ uint64(row.Coefficients[t])) * 1099511628211
	}
	for _, r := range f.index[hash] {
		kept := &f.problem.Rows[r]
		if slices.Equal(kept.Columns, row.Columns) && slices.Equal(kept.Coefficients, row.Coefficients) {
			f.problem.Merged++
			if row.Bound < kept.Bound {
				*kept = row
			}
			return
		}
	}
	f.index[hash] = append(f.index[hash], len(f.problem.Rows))
	f.problem.Rows = append(f.problem.Rows, row)
}
