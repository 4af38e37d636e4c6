package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/paper"
)

func paperCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paper",
		Short: "Put runs beside the figures that a paper published",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(aucschedCommand(s))
	return cmd
}

func aucschedCommand(s *State) *cobra.Command {
	var format string
	var number int
	var rows []string
	cmd := &cobra.Command{
		Use:   "aucsched [DIR...]",
		Short: "AUCSCHED tables 5 to 7: machines S, M and L",
		Long: `Prints the rows of a table of AUCSCHED: the published value, the mean of the
given complete runs of that machine, workload and policy, the difference and,
from two replicas on, its 95 % confidence interval. The runs come from
"slurmlab compare"; without any the published values are printed alone. Only
runs whose theoretical runtime is near the paper's, about 4 h, say something.`,
		Example: `  slurmlab compare --machine S --workload V.2 --replicas 3 --out v2
  slurmlab paper aucsched --table 5 --rows V.2 v2/S-V.2-*`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			write, formatErr := tableWriter(format)
			published, rowsErr := paper.Rows(number, rows...)
			if err := errors.Join(formatErr, rowsErr); err != nil {
				return usage(err)
			}
			runs, err := load(lab.Load, args...)
			if err != nil {
				return err
			}
			ours := make([]metric.Metrics, len(runs))
			for i, r := range runs {
				ours[i] = *r.Metrics
			}
			t, err := paper.Table(paper.Compare(published, ours))
			if err != nil {
				return err
			}
			return write(t, s.Stdout)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, csv or markdown")
	cmd.Flags().IntVar(&number, "table", 5, "table of the paper: 5, 6 or 7")
	cmd.Flags().StringSliceVar(&rows, "rows", nil, "workloads, separated by commas; all of the table without")
	return cmd
}
