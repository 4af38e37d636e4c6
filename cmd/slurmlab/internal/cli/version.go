package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// slurmVersion is that of the Slurm in the image.
const slurmVersion = "24.11.5"

func versionCommand(s *State) *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := l.check(); err != nil {
				return usage(err)
			}
			version := struct {
				Version  string `json:"version"`
				Revision string `json:"revision"`
				Slurm    string `json:"slurm"`
			}{s.Version, s.Revision, slurmVersion}
			return l.print(s, version, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "slurmlab %s (revision %s), for Slurm %s\n", version.Version, version.Revision, version.Slurm)
				return err
			})
		},
	}
	l.flag(cmd)
	return cmd
}
