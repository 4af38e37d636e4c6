package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/plugin-bridge/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
)

const workerCommandName = "solver-worker"

// workerCommand is started by run and by nobody else.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerCommandName,
		Short:  "Solve auctions: requests on standard input, answers on standard output",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			engine, err := highs.New()
			if err != nil {
				return err
			}
			return solver.Serve(os.Stdin, os.Stdout, engine)
		},
	}
}
