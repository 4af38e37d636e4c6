package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

// solveCommand does not listen to interrupts: HiGHS cannot be interrupted, and slurmlab
// removes the container when its user has enough.
func solveCommand() *cobra.Command {
	var limit time.Duration
	cmd := &cobra.Command{
		Use:       "solve -",
		Short:     "Solve the program on standard input, as JSON, and print the answer as JSON",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"-"},
		RunE: func(*cobra.Command, []string) error {
			p, err := program.Read("stdin.json", os.Stdin)
			if err != nil {
				return err
			}
			started := time.Now()
			found, err := solver.SolveHere(p, limit)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(program.NewAnswer(p, found, time.Since(started)))
		},
	}
	cmd.Flags().DurationVar(&limit, "time-limit", 0, "real time limit of HiGHS")
	_ = cmd.MarkFlagRequired("time-limit")
	return cmd
}
