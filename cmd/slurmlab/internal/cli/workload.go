package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/workloads"
)

func workloadCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workload",
		Short: "List and generate workloads",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(workloadListCommand(s), workloadGenerateCommand(s))
	return cmd
}

func workloadListCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the built-in workloads: name and origin",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			out := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
			for _, b := range workloads.Builtins() {
				fmt.Fprintf(out, "%s\t%s\n", b.Name, b.About)
			}
			return out.Flush()
		},
	}
}

func workloadGenerateCommand(s *State) *cobra.Command {
	var machineName string
	var estimated time.Duration
	var seed uint64
	cmd := &cobra.Command{
		Use:     "generate NAME|FILE",
		Short:   "Write a workload as CSV to standard output; same seed, same bytes",
		Example: "  slurmlab workload generate V.2 --machine S --seed 1 > workload.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			machine, machineErr := workloads.LoadMachine(machineName)
			workload, workloadErr := workloads.Load(args[0])
			if workloadErr == nil && estimated != 0 {
				workload, workloadErr = workload.WithEstimatedRuntime(estimated)
			}
			if err := errors.Join(machineErr, workloadErr); err != nil {
				return usage(err)
			}
			jobs, err := workload.Jobs(machine, seed)
			if err != nil {
				return usage(err)
			}
			return workloads.WriteCSV(s.Stdout, jobs)
		},
	}
	cmd.Flags().StringVar(&machineName, "machine", "S", "S, M, L, tsubame, or a YAML file")
	cmd.Flags().DurationVar(&estimated, "estimated-runtime", 0, "theoretical run time, virtual (default: as in the spec)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the generator")
	return cmd
}
