package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
)

func commandsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "commands",
		Short: "Run commands on the cluster's clock: requests on standard input, answers on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			return slurm.ServeCommands(cmd.Context(), os.Stdin, os.Stdout, append(os.Environ(), state.Env...))
		},
	}
}
