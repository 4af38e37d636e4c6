package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/export"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func exportCommand(s *State) *cobra.Command {
	var format, resourceName, out string
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write a complete run in the format of another tool",
		Long: `Writes the jobs of a complete run in the format of another tool.

  batsim-jobs  Batsim's jobs.csv, which evalys reads; a resource is a node, or a
               core with --resource core
  schedule     Batsim's schedule.csv, in nodes or cores likewise
  swf          the Standard Workload Format 2.2; a processor is a core
  perfetto     a timeline for ui.perfetto.dev or chrome://tracing
  parquet      a row a job

Where jobs share nodes, tools that add up nodes see more than the machine has:
give --resource core. Slurm does not tell which cores a job had; they are made
up, their number and nodes are true.`,
		Example: `  slurmlab export runs/demo-*/S-V.2-auction-seed1 \
    --format perfetto --out auction.json
  slurmlab export my-run --format batsim-jobs --resource core > jobs.csv`,
		ValidArgsFunction: completions(ofRuns).first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			resource, err := interchange.ParseResource(resourceName)
			if err = errors.Join(export.Check(format), err); err != nil {
				return usage(err)
			}
			if cmd.Flags().Changed("resource") && !export.HasResources(format) {
				return usage(fmt.Errorf("resource: got it with format %s, allowed with batsim-jobs, schedule", format))
			}
			dir, err := trace.Open(args[0])
			if err != nil {
				return usage(err)
			}
			data, err := dir.Load()
			if err != nil {
				return err
			}
			return writeOut(s, out, func(w io.Writer) error { return export.Write(w, format, resource, data) })
		},
	}
	declare(cmd, headFlags, flag("format", &format, "", strings.Join(export.Formats(), ", ")+" (required)").completes(ofWords(export.Formats()...)))
	declare(cmd, headFlags, flag("resource", &resourceName, string(interchange.Node), "what a resource of Batsim is: node or core").completes(ofChoices(interchange.Resources()...)))
	declare(cmd, headFlags, flag("out", &out, "", "file to write (default: standard output)").completes(ofFiles()))
	return cmd
}
