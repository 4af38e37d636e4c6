package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func root(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slurmlab",
		Short: "Emulate a supercomputer under a real Slurm and compare schedulers on it",
		Long: `slurmlab boots a real, unmodified Slurm in a container, with hundreds of emulated
GPU nodes, submits a workload of sleep jobs, lets Slurm's backfill or an auction
solved as an integer program schedule them, and reports which was better.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%q is no command of slurmlab; see: slurmlab --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetOut(s.Stdout)
	cmd.SetErr(s.Stderr)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
	})
	cmd.AddCommand(
		compareCommand(s), doctorCommand(s), downCommand(s), metricsCommand(s), reportCommand(s),
		runCommand(s), shellCommand(s), upCommand(s), versionCommand(s), workloadCommand(s),
	)
	cmd.Args = badUsage(cmd.Args)
	for _, c := range cmd.Commands() {
		c.Args = badUsage(c.Args)
	}
	return cmd
}

// badUsage gives a wrong number of arguments the exit code of bad usage.
func badUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.ArbitraryArgs
		}
		return usage(check(cmd, args))
	}
}
