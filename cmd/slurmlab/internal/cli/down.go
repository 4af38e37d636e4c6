package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/emulator/run"
)

func downCommand(s *State) *cobra.Command {
	var name string
	var all, force bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop and remove a cluster that \"up\" started",
		Long: `Stops and removes a cluster that "slurmlab up" started. With --all it removes
every container of slurmlab. A container that keeps the files of a run is the
only place that has them, until "slurmlab run --resume" fetches them. While
there is one, --all removes nothing, names it, and asks for --force.`,
		Example: "  slurmlab down\n  slurmlab down --name other\n  slurmlab down --all",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			faults := []error{checkName(name)}
			if all && cmd.Flags().Changed("name") {
				faults = append(faults, errors.New("all, name: only one of them is allowed"))
			}
			if force && !all {
				faults = append(faults, errors.New("force: has no effect without --all"))
			}
			if err := errors.Join(faults...); err != nil {
				return usage(err)
			}
			role := slurm.RoleUp
			if all {
				role, name = "", ""
			}
			clusters, err := run.Containers(cmd.Context(), role, name)
			if err != nil {
				return err
			}
			if len(clusters) == 0 && !all {
				return notUp(cmd.Context(), name)
			}
			if !force {
				if err = keepFiles(clusters); err != nil {
					return usage(err)
				}
			}
			ids := make([]string, len(clusters))
			for i, c := range clusters {
				ids[i] = c.ID
			}
			if err = run.Remove(cmd.Context(), ids...); err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Stdout, "removed %d cluster(s)\n", len(clusters))
			return err
		},
	}
	declare(cmd, headFlags, flag("name", &name, defaultName, "name of the cluster").completes(ofClusters(s)))
	declare(cmd, headFlags, flag("all", &all, false, "every container of slurmlab, also of runs that go on or were interrupted"))
	declare(cmd, headFlags, flag("force", &force, false, "with --all: also containers that keep the files of a run, which are then lost"))
	return cmd
}

// notUp is the error of a name that no cluster of "up" has.
func notUp(ctx context.Context, name string) error {
	others, err := run.Containers(ctx, slurm.RoleUp, "")
	if err != nil {
		return err
	}
	return usage(fmt.Errorf("name: no cluster %q is up%s", name, running(others)))
}

// keepFiles names the containers that keep the files of a run.
func keepFiles(clusters []run.Container) error {
	var runs, remedies []string
	for _, c := range clusters {
		if c.Bond() == run.BondKept {
			runs = append(runs, fmt.Sprintf("run %s (container %.12s)", c.Name, c.ID))
			remedies = append(remedies, "\n  fetch them with: slurmlab run --resume "+c.Directory())
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return fmt.Errorf("all: nothing is removed, because a container keeps the only files of %s%s\n  or lose them with: slurmlab down --all --force",
		strings.Join(runs, ", "), strings.Join(remedies, ""))
}
