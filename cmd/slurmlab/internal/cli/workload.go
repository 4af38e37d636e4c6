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
		Short: "List, describe, generate, import and export workloads",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(workloadListCommand(s), workloadDescribeCommand(s), workloadGenerateCommand(s),
		workloadImportCommand(s), workloadExportCommand(s))
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
				_, _ = fmt.Fprintf(out, "%s\t%s\n", b.Name, b.About)
			}
			return out.Flush()
		},
	}
}

// generation is what the commands that make jobs are told.
type generation struct {
	machine   string
	estimated time.Duration
	seed      uint64
}

func (g *generation) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.machine, "machine", "S", "S, M, L, tsubame, or a YAML file")
	cmd.Flags().DurationVar(&g.estimated, "estimated-runtime", 0, "theoretical run time, virtual (default: as in the spec)")
	cmd.Flags().Uint64Var(&g.seed, "seed", 1, "seed of the generator")
}

func (g *generation) jobs(nameOrFile string) (workloads.Machine, workloads.Workload, []workloads.Job, error) {
	machine, machineErr := workloads.LoadMachine(g.machine)
	workload, workloadErr := workloads.Load(nameOrFile)
	if workloadErr == nil && g.estimated != 0 {
		workload, workloadErr = workload.WithEstimatedRuntime(g.estimated)
	}
	if err := errors.Join(machineErr, workloadErr); err != nil {
		return machine, workload, nil, usage(err)
	}
	jobs, err := workload.Jobs(machine, g.seed)
	if err != nil {
		return machine, workload, nil, usage(err)
	}
	return machine, workload, jobs, nil
}

func workloadGenerateCommand(s *State) *cobra.Command {
	var g generation
	cmd := &cobra.Command{
		Use:     "generate NAME|FILE",
		Short:   "Write a workload as CSV to standard output; same seed, same bytes",
		Example: "  slurmlab workload generate V.2 --machine S --seed 1 > workload.csv",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, _, jobs, err := g.jobs(args[0])
			if err != nil {
				return err
			}
			return workloads.WriteCSV(s.Stdout, jobs)
		},
	}
	g.flags(cmd)
	return cmd
}
