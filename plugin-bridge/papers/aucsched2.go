package papers

import (
	"fmt"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// AUCSCHED2 returns, in general form, the program p that an auction has made of the bids of a snapshot. It is the
// program of AUCSCHED2 section 2, with what package auction adds to it. Its variables have the jobs' ids in their
// names: b_5_0 is the first bid of job 5.
func AUCSCHED2(s auction.Snapshot, bids []bidding.Bid, p auction.Problem) program.Program {
	return modelOf(s, bids, p).Program
}

// modelOf is AUCSCHED2 with the meaning of its variables.
func modelOf(s auction.Snapshot, bids []bidding.Bid, p auction.Problem) model {
	m := model{Program: fromProblem(p), snapshot: s, ranges: nodeRanges(s)}
	of := make([]int, len(s.Jobs))
	for i, bid := range bids {
		m.Program.Variables[i].Name = fmt.Sprintf("b_%d_%d", s.Jobs[bid.Job].ID, of[bid.Job])
		of[bid.Job]++
		m.jobs = append(m.jobs, bid.Job)
		for at, n := range bid.Nodes {
			m.takes = append(m.takes, take{variable: i, job: bid.Job, node: n, cores: bid.Cores[at]})
		}
	}
	return m
}

// fromProblem returns the same program in general form: the same columns, as
// variables b0, b1 and so on, the same rows and the same values. A row's name
// gets its number where names are not distinct.
func fromProblem(p auction.Problem) program.Program {
	all := program.Program{
		Name: "aucsched2", Maximise: true,
		Variables: make([]program.Variable, len(p.Objective)), Rows: make([]program.Row, len(p.Rows)),
	}
	for i, v := range p.Objective {
		all.Variables[i] = program.Variable{Name: fmt.Sprintf("b%d", i), Upper: 1, Integer: true, Objective: v}
	}
	used := make(map[string]bool, len(p.Rows))
	for n, r := range p.Rows {
		name := program.CleanName(r.Name())
		if used[name] {
			name = program.CleanName(fmt.Sprintf("#%d_%s", n, r.Name()))
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
