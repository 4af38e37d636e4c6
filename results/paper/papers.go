package paper

import _ "embed" // for the published figures

//go:embed aucsched.csv
var aucsched string

//go:embed aucsched2.csv
var aucsched2 string

//go:embed ipsched.csv
var ipsched string

// Papers returns all papers, the newest last.
func Papers() []Paper {
	const (
		ours        = "Policy auction is our own auction; auction1 is the paper's program, auction2 is AUCSCHED2's (docs/design/012)."
		multifactor = "under priority/multifactor: equal weights of age and size, and one more for each minute. The greatest age, which " +
			"the paper does not name, is Slurm's default of a week (docs/design/012)."
		undefined = "The paper names no unit of its waiting times, taken as hours, and defines neither slowdown nor utilisation; ours " +
			"are turnaround / execution and theoretical runtime / runtime."
	)
	return []Paper{
		{
			Name: "ipsched", About: "IPSCHED tables 5 and 6 (V and VI): machine L, ESP's jobs with GPUs", Tables: []int{5, 6}, Replicas: 3, figures: ipsched,
			notes: map[int][]string{
				5: {
					"Rows 4-SLURM, 5 and 6 are " + multifactor,
					undefined,
					"The theoretical runtime is that of section V.",
				},
				6: {"Rows 7-SLURM and 8 are " + multifactor, undefined},
			},
		},
		{
			Name: "aucsched", About: "AUCSCHED tables 5 to 8: machines S, M and L", Tables: []int{5, 6, 7, 8}, Replicas: 7, figures: aucsched,
			notes: map[int][]string{
				5: {ours}, 6: {ours}, 7: {ours},
				8: {
					"The paper reran SLURM/BF beside each variant of AUCSCHED. Our backfill and our own auction " +
						"have no such variants: their runs of a workload stand in all rows of it.",
					"Row V.2 of AUCSCHED: the paper has 3.00 for slowdown and spread alike; the slowdowns of V.1 and V.3 are 32.00 and 33.35.",
				},
			},
		},
		{
			Name: "aucsched2", About: "AUCSCHED2 table 3: machine tsubame, with and without GPU ranges", Tables: []int{3}, Replicas: 27, figures: aucsched2,
			notes: map[int][]string{
				3: {
					"Policy auction2 is the paper's program, auction2-* the same with other limits and bids, auction our own (docs/design/012).",
					"Our workloads have a theoretical runtime of 3.12 h (1.NC, 1.HC, 1.FC) or 6.21 h (2.NC, 2.HC, 2.FC); the paper has " +
						"3.24 h for 1.FC, 6.17 h for 2.HC and 6.34 h for 2.FC.",
				},
			},
		},
	}
}
