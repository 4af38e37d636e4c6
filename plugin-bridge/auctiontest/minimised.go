package auctiontest

import "github.com/slurmlab/slurmlab/plugin-bridge/program"

// Minimised returns the program with the same solutions whose minimum is minus
// the maximum of p, and p itself if it is a minimum already. Its slices are
// those of p but for the variables. CBC and glpsol know no maximum in MPS.
func Minimised(p program.Program) program.Program {
	if !p.Maximise {
		return p
	}
	variables := make([]program.Variable, len(p.Variables))
	for i, v := range p.Variables {
		// 0 - x, since -x would turn 0 into a 0 with a sign.
		v.Objective = 0 - v.Objective
		variables[i] = v
	}
	p.Maximise, p.Variables = false, variables
	return p
}
