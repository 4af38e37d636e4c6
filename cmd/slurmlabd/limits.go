package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
)

func limitsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "limits",
		Short: "Print which limit of the container was exceeded, nothing if none was",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := boot.OwnCgroup().Exceeded(); err != nil {
				_, err = fmt.Fprintln(os.Stdout, err)
				return err
			}
			return nil
		},
	}
}
