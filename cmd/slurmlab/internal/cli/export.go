package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/export"
	"github.com/slurmlab/slurmlab/results/trace"
)

func exportCommand(s *State) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write a complete run in the format of another tool",
		Long: `Writes the jobs of a complete run in the format of another tool.

  batsim-jobs  Batsim's jobs.csv, which evalys reads; a resource is a node
  schedule     Batsim's schedule.csv
  swf          the Standard Workload Format 2.2; a processor is a core
  perfetto     a timeline for ui.perfetto.dev or chrome://tracing
  parquet      a row a job`,
		Example: `  slurmlab export my-run --format perfetto --out my-run.json
  slurmlab export my-run --format batsim-jobs > jobs.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := export.Check(format); err != nil {
				return usage(err)
			}
			dir, err := trace.Open(args[0])
			if err != nil {
				return usage(err)
			}
			data, err := dir.Load()
			if err != nil {
				return err
			}
			return writeOut(s, out, func(w io.Writer) error { return export.Write(w, format, data) })
		},
	}
	cmd.Flags().StringVar(&format, "format", "", strings.Join(export.Formats(), ", ")+" (required)")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	return cmd
}
