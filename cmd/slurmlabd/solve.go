package main

import (
	"encoding/json"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// solveCommand does not listen to interrupts: HiGHS would not, and whoever has
// enough of it removes the container.
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
			found, err := highs.SolveProgram(p, highs.ProgramOptions{TimeLimit: limit})
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(program.NewAnswer(p, found, time.Since(started)))
		},
	}
	cmd.Flags().DurationVar(&limit, "time-limit", highs.DefaultTimeLimit, "real time limit of HiGHS")
	return cmd
}
