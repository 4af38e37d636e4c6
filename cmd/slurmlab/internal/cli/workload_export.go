package cli

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

func workloadExportCommand(s *State) *cobra.Command {
	var format, machineName, resourceName, out string
	var estimated time.Duration
	var seed uint64
	cmd := &cobra.Command{
		Use:   "export NAME|FILE",
		Short: "Write a workload in the format of another tool",
		Long: `Writes a workload in the format of another tool.

  swf     the Standard Workload Format 2.2: a job is its cores, run time and time
          limit; nodes, GPUs and contiguous nodes have no field there; users become
          numbers, which the comments at the top explain
  batsim  Batsim's JSON with delay profiles; nothing is lost when slurmlab reads it`,
		Example: "  slurmlab workload export V.2 --machine S --format swf > V.2.swf",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			machine, machineErr := workloads.LoadMachine(machineName)
			workload, workloadErr := workloads.Load(args[0])
			if workloadErr == nil && estimated != 0 {
				workload, workloadErr = workload.WithEstimatedRuntime(estimated)
			}
			resource, resourceErr := interchange.ParseResource(resourceName)
			if err := errors.Join(interchange.CheckExport(format), machineErr, workloadErr, resourceErr); err != nil {
				return usage(err)
			}
			jobs, err := workload.Jobs(machine, seed)
			if err != nil {
				return usage(err)
			}
			return writeOut(s, out, func(w io.Writer) error {
				return interchange.Export(w, format, resource, workload.Name(), machine, jobs)
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "", strings.Join(interchange.ExportFormats(), ", ")+" (required)")
	cmd.Flags().StringVar(&machineName, "machine", "S", "S, M, L, tsubame, or a YAML file")
	cmd.Flags().StringVar(&resourceName, "resource", string(interchange.Core), "what a resource of Batsim is: core or node")
	cmd.Flags().DurationVar(&estimated, "estimated-runtime", 0, "theoretical run time, virtual (default: as in the spec)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the generator")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	return cmd
}

// writeOut writes to a file, or to standard output when path is empty.
func writeOut(s *State, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(s.Stdout)
	}
	return writeFile(path, write)
}
