package formulation

import (
	"fmt"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// AUCSCHED2 returns the program of AUCSCHED2 section 2 for a valid snapshot and
// bids of its jobs, which are grouped by job. It is auction.Formulate's
// with the paper's objective.
func AUCSCHED2(s auction.Snapshot, bids []auction.Bid) Model {
	return Auction(s, bids, auction.Formulate(s, bids, auction.ObjectivePriority))
}

// Auction returns the program p that an auction has made of the bids, with the
// bids' jobs in the names of its variables.
func Auction(s auction.Snapshot, bids []auction.Bid, p auction.Problem) Model {
	m := Model{Program: FromProblem(p), snapshot: s, ranges: NodeRanges(s)}
	of := make([]int, len(s.Jobs))
	for i, bid := range bids {
		m.Program.Variables[i].Name = fmt.Sprintf("b_%d_%d", s.Jobs[bid.Job].ID, of[bid.Job])
		of[bid.Job]++
		for at, n := range bid.Nodes {
			m.takes = append(m.takes, take{variable: i, job: bid.Job, node: n, cores: bid.Cores[at]})
		}
	}
	return m
}

// FromProblem returns the same program in general form: the same columns, as
// variables b0, b1 and so on, the same rows and the same values. A row's name
// gets its number where names are not distinct.
func FromProblem(p auction.Problem) program.Program {
	all := program.Program{
		Name: "aucsched2", Maximise: true,
		Variables: make([]program.Variable, len(p.Objective)), Rows: make([]program.Row, len(p.Rows)),
	}
	for i, v := range p.Objective {
		all.Variables[i] = program.Variable{Name: fmt.Sprintf("b%d", i), Upper: 1, Integer: true, Objective: v}
	}
	used := make(map[string]bool, len(p.Rows))
	for n, r := range p.Rows {
		name := program.CleanName(r.Name)
		if used[name] {
			name = program.CleanName(fmt.Sprintf("#%d_%s", n, r.Name))
		}
		used[name] = true
		coefficients := make([]float64, len(r.Coefficients))
		for t, c := range r.Coefficients {
			coefficients[t] = float64(c)
		}
		all.Rows[n] = program.Row{
			Name: name, Variables: r.Columns, Coefficients: coefficients, Sense: program.AtMost, RHS: float64(r.Bound),
		}
	}
	return all
}
