package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
)

func clocksCommand(s *State) *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:   "clocks DIR DIR...",
		Short: "Tell how repeatable runs are, and whether clocks differ",
		Long: `Takes complete runs of the same jobs under the same policy.

Runs under one clock: how much each metric and each job's start differ from run
to run. Runs under two clocks, at least two of each: for each metric the
difference with its 95 % interval and whether the clocks can be told apart by it
(Welch's test, Holm's correction), and how far the jobs' starts are apart within
and between the clocks.`,
		Example:           "  slurmlab dev clocks truth/real-* truth/jump-*\n  slurmlab dev clocks --format json truth/jump-*",
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := l.check(); err != nil {
				return usage(err)
			}
			runs, err := metric.LoadAll(metric.Load, args...)
			if err != nil {
				return err
			}
			sets := compare.ByClock(runs)
			switch len(sets) {
			case 1:
				r, err := compare.Repeat(sets[0])
				if err != nil {
					return usage(err)
				}
				return l.print(s, r, r.WriteMarkdown)
			case 2:
				c, err := compare.Clocks(sets[0], sets[1])
				if err != nil {
					return usage(err)
				}
				return l.print(s, c, c.WriteMarkdown)
			default:
				return usage(fmt.Errorf("clocks: the runs are under %d clocks, want one or two", len(sets)))
			}
		},
	}
	l.flag(cmd)
	return cmd
}
