package papers

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// literalIPSCHED is IPSCHED's program with equation (5) as it is written: the limits
// hold for every job, selected or not. In the program that we solve each is multiplied
// by s_j.
func literalIPSCHED(s auction.Snapshot, objective Objective, ranges []nodeRange) model {
	m := formulateIPSCHED(s, objective, ranges)
	for i := range m.Program.Rows {
		row := &m.Program.Rows[i]
		if !strings.HasPrefix(row.Name, "(5)_") {
			continue
		}
		// The limit is the coefficient of s_j, with its sign changed.
		at := slices.IndexFunc(row.Variables, func(v int) bool { return strings.HasPrefix(m.Program.Variables[v].Name, "s_") })
		if at < 0 {
			continue // a limit of 0
		}
		row.RHS = -row.Coefficients[at]
		row.Variables = slices.Delete(row.Variables, at, at+1)
		row.Coefficients = slices.Delete(row.Coefficients, at, at+1)
	}
	return m
}

// literalAUCSCHED is AUCSCHED's program with equation (3) as it is written, an
// equation for each bid, with Slurm's priorities as they are, and with equation (10),
// alpha = P_min / (bids + 1).
func literalAUCSCHED(s auction.Snapshot, bids []bidding.Bid) model {
	m := formulateAUCSCHED(s, bids)
	rows := m.Program.Rows
	m.Program.Rows = nil
	for _, row := range rows {
		if strings.HasPrefix(row.Name, "(3)_") {
			if strings.Count(row.Name, "_") == 1 {
				continue // the sum over all bids of the job
			}
			row.Sense = program.Equal
		}
		m.Program.Rows = append(m.Program.Rows, row)
	}
	priorities := make([]float64, len(s.Jobs))
	for j, job := range s.Jobs {
		priorities[j] = job.Priority
	}
	for i, bid := range bids {
		alpha := slices.Min(priorities) / float64(len(bids)+1)
		m.Program.Variables[i].Objective = s.Jobs[bid.Job].Priority + alpha*bid.Preference
	}
	return m
}
