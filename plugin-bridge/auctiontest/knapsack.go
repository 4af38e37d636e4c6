package auctiontest

import "github.com/slurmlab/slurmlab/plugin-bridge/program"

// Knapsack is max 5a+4b+3c, 2a+3b+c <= 5, a,b,c in {0,1}: a and b, 9.
func Knapsack() program.Program {
	return program.Program{
		Name: "knapsack", Maximise: true,
		Variables: []program.Variable{
			{Name: "a", Upper: 1, Integer: true, Objective: 5},
			{Name: "b", Upper: 1, Integer: true, Objective: 4},
			{Name: "c", Upper: 1, Integer: true, Objective: 3},
		},
		Rows: []program.Row{{Name: "(1)", Variables: []int{0, 1, 2}, Coefficients: []float64{2, 3, 1}, Sense: program.AtMost, RHS: 5}},
	}
}
