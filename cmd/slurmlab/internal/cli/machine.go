package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/workloads"
)

func machineCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Describe, check, import, infer and anonymise machines, and events",
	}
	cmd.AddCommand(machineCheckCommand(s), machineDescribeCommand(s), machineImportCommand(s), machineInferCommand(s), machineEventsCommand(s), machineAnonymiseCommand(s))
	return cmd
}

func machineCheckCommand(s *State) *cobra.Command {
	return &cobra.Command{
		Use:   "check NAME|FILE",
		Short: "List all faults of a machine file",
		Long: `Lists all faults of a machine file, each with its line, and exits with 2 if
there are some. No container is started. docs/reference/machine-file.md has the
keys.`,
		Example:           "  slurmlab machine check campus.yaml",
		ValidArgsFunction: ofMachines().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := workloads.LoadMachine(args[0])
			if err != nil {
				return usage(err)
			}
			_, err = fmt.Fprintf(s.Stdout, "%s: no faults; %s\n", args[0], report.InService(m))
			return err
		},
	}
}

func machineDescribeCommand(s *State) *cobra.Command {
	var l listing
	var wide bool
	cmd := &cobra.Command{
		Use:   "describe NAME|FILE",
		Short: "Say what the nodes and partitions of a machine are",
		Example: "  slurmlab machine describe tsubame\n" +
			"  slurmlab machine describe campus.yaml",
		ValidArgsFunction: ofMachines().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			m, err := workloads.LoadMachine(args[0])
			if err == nil {
				err = l.check()
			}
			if err != nil {
				return usage(err)
			}
			return l.print(s, m, func(w io.Writer) error {
				d := report.Description{Screen: s.screen(), Prose: s.width(), Wide: wide}
				if err := d.Machine(m); err != nil {
					return err
				}
				_, err := io.WriteString(w, d.String())
				return err
			})
		},
	}
	l.flag(cmd)
	wideFlag(cmd, &wide)
	return cmd
}
