package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/emulator/run"
)

func doctorCommand(s *State) *cobra.Command {
	var b backendFlags
	var l listing
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine can run slurmlab",
		Long: `Checks Docker, the cluster image, memory, free space, and the containers of
slurmlab. A container that nobody uses any more is a fault: its slurmlab was
killed, or could not remove it. The remedy removes it. So does the next run,
compare or paper, if the run of the container is known on this machine.`,
		Example: "  slurmlab doctor\n  slurmlab doctor --backend frontend",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(l.check(), b.choose(backend.Needs{})); err != nil {
				return usage(err)
			}
			findings := run.Checks(cmd.Context(), func() (string, error) { return aboutImage(cmd.Context(), s, b) })
			if err := l.print(s, findings, func(w io.Writer) error { return run.WriteFindings(w, findings) }); err != nil {
				return err
			}
			bad := 0
			for _, f := range findings {
				if f.Faulty() {
					bad++
				}
			}
			if bad > 0 {
				return fmt.Errorf("%d of %d checks found a fault", bad, len(findings))
			}
			return nil
		},
	}
	l.flag(cmd)
	b.flags(cmd)
	return cmd
}

// aboutImage says which cluster image there is, and what it was made of.
func aboutImage(ctx context.Context, s *State, b backendFlags) (string, error) {
	found, err := b.find(ctx, s, run.Docker{})
	about := fmt.Sprintf("%s is there: slurmlab %s, Slurm %s, %d MB", b.imageName(), found.Version, found.Slurm, found.Size/1e6)
	for _, p := range found.Sources {
		about += "\n                " + p
	}
	return about, err
}
