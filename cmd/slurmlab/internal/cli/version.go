package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func versionCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.Stdout, "slurmlab %s (revision %s), for Slurm 24.11.5\n", s.Version, s.Revision)
			return err
		},
	}
}
