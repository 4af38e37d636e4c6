package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
)

func reportCommand(s *State) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:               "report DIR...",
		Short:             "Write a self-contained HTML report about runs",
		Example:           "  slurmlab report --out report.html runs/demo-*/S-V.2-*",
		ValidArgsFunction: completions(ofRuns).cobra,
		Args:              cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			runs, err := metric.LoadNamed(metric.LoadAny, args...)
			if err != nil {
				return err
			}
			err = trace.WriteAtomic(out, func(w io.Writer) error { return report.Write(w, report.Input{Runs: runs}) })
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Stdout, out)
			return err
		},
	}
	declare(cmd, headFlags, flag("out", &out, "report.html", "file to write").completes(ofFiles(".html")))
	return cmd
}

// writePlots draws the pictures of one run into its directory.
func writePlots(dir string) error {
	runs, err := metric.LoadAll(metric.Load, dir)
	if err != nil {
		return err
	}
	r := runs[0]
	return report.Draw(dir, plot.Schedule{Name: r.Run.Policy, Machine: r.Run.Machine, Jobs: r.Jobs})
}
