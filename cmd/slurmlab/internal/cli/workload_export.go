package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func workloadExportCommand(s *State) *cobra.Command {
	var g generation
	var format, resourceName, out string
	cmd := &cobra.Command{
		Use:   "export NAME|FILE",
		Short: "Write a workload in the format of another tool",
		Long: `Writes a workload in the format of another tool.

  swf     the Standard Workload Format 2.2: a job is its cores, run time and
          time limit; nodes, GPUs and contiguous nodes have no field there;
          users become numbers, which the comments at the top explain
  batsim  Batsim's JSON with delay profiles; nothing is lost when slurmlab reads
          it`,
		Example:           "  slurmlab workload export V.2 --machine S --format swf > V.2.swf",
		ValidArgsFunction: ofWorkloads().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			resource, resourceErr := interchange.ParseResource(resourceName)
			formatErr := interchange.CheckExport(format)
			if formatErr == nil {
				formatErr = checkResource(cmd.Flags(), format)
			}
			machine, workload, jobs, err := g.jobs(args[0], formatErr, resourceErr)
			if err != nil {
				return err
			}
			return writeOut(s, out, func(w io.Writer) error {
				return interchange.Export(w, format, resource, workload.Name(), machine, jobs)
			})
		},
	}
	declare(cmd, headFlags, flag("format", &format, "", strings.Join(interchange.ExportFormats(), ", ")+" (required)").completes(ofWords(interchange.ExportFormats()...)))
	g.flags(cmd)
	declare(cmd, headFlags, flag("resource", &resourceName, string(interchange.Core), "what a resource of Batsim is: core or node").completes(ofChoices(interchange.Resources()...)))
	declare(cmd, headFlags, flag("out", &out, "", "file to write (default: standard output)").completes(ofFiles()))
	return cmd
}

// writeOut writes to a file, or to standard output when path is empty.
func writeOut(s *State, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(s.Stdout)
	}
	return trace.WriteAtomic(path, write)
}
