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
solved as an integer program schedule them, and reports which was better.

Words such as bid, window or packing are explained by "slurmlab glossary WORD".`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetOut(s.Stdout)
	cmd.SetErr(s.Stderr)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
	})
	cmd.AddCommand(
		clocksCommand(s), compareCommand(s), doctorCommand(s), downCommand(s), explainCommand(s), exportCommand(s),
		glossaryCommand(s), metricsCommand(s), paperCommand(s), policyCommand(s), reportCommand(s),
		runCommand(s), shellCommand(s), solveCommand(s), upCommand(s), versionCommand(s), workloadCommand(s),
	)
	refuseWrongArguments(cmd)
	return cmd
}

// refuseWrongArguments gives wrong arguments of cmd and all commands below it
// the exit code of bad usage. The argument of a command that only holds others
// can be nothing but a command that does not exist.
func refuseWrongArguments(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil || cmd.HasSubCommands() {
		check = cobra.NoArgs
	}
	cmd.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage(fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		refuseWrongArguments(c)
	}
}
