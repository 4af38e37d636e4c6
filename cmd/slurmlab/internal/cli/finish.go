package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/trace"
)

func finishCommand(s *State) *cobra.Command {
	var f form
	allowFailed := false
	cmd := &cobra.Command{
		Use:   "finish DIR",
		Short: "Complete a run that broke after its last job had ended",
		Long: `Completes a run whose jobs have all ended, but which failed or was killed after
that. If its files could not be copied, the container was left in place: finish
fetches the files and removes the container. Then it computes the metrics and
draws the pictures, as "slurmlab run" does.

A run in which jobs did not end as planned, say because somebody cancelled them,
stays failed. With --allow-failed it becomes complete, and every table tells how
many of its jobs failed.`,
		Example: `  slurmlab finish my-run
  slurmlab finish --allow-failed my-run`,
		ValidArgsFunction: completions(ofRuns).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return usage(err)
			}
			dir, err := trace.Open(args[0])
			if err != nil {
				return usage(err)
			}
			if err = run.Finish(cmd.Context(), dir, allowFailed, s.told); err != nil {
				return err
			}
			return concludeRun(s, f, args[0])
		},
	}
	allowFailedFlag(cmd.Flags(), &allowFailed)
	f.flags(cmd)
	return cmd
}

func allowFailedFlag(f *pflag.FlagSet, allow *bool) {
	f.BoolVar(allow, "allow-failed", false, "keep runs with jobs that did not end as planned, marked in every table")
}
