package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// Commands is the tree of all commands for who describes them: none of them is run.
func Commands() *cobra.Command {
	return root(&State{Context: context.Background(), Stdout: io.Discard, Stderr: io.Discard})
}

func root(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slurmlab",
		Short: "Emulate a supercomputer under a real Slurm and compare schedulers on it",
		Long: `slurmlab runs the real, unmodified slurmctld with up to 10,000 emulated nodes
in one container. It submits jobs that sleep, skips idle time, and compares
Slurm's backfill with other settings or schedulers on the same jobs.

"slurmlab doctor" checks this machine, "slurmlab compare" is a first
comparison, and "slurmlab glossary packing" explains a word.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetOut(s.Stdout)
	cmd.SetErr(s.Stderr)
	cmd.SetUsageFunc(func(c *cobra.Command) error { return writeUsage(c, c.OutOrStdout(), s.width()) })
	cmd.AddCommand(
		archiveCommand(s), campaignCommand(s), compareCommand(s), devCommand(s), djsbCommand(s), doctorCommand(s), downCommand(s), explainCommand(s), exportCommand(s),
		glossaryCommand(s), imageCommand(s), machineCommand(s), metricsCommand(s), paperCommand(s), pluginCommand(s), policyCommand(s), reportCommand(s),
		runCommand(s), serveCommand(s), shellCommand(s), statusCommand(s), topCommand(s), twinCommand(s), upCommand(s), versionCommand(s), whatIfCommand(s), workloadCommand(s),
	)
	cmd.InitDefaultHelpCmd()
	cmd.InitDefaultCompletionCmd()
	group(cmd)
	addAllHelp(cmd)
	refuseWrongArguments(cmd)
	return cmd
}
