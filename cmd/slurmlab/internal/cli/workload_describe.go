package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

func workloadDescribeCommand(s *State) *cobra.Command {
	var g generation
	var l listing
	var wide bool
	cmd := &cobra.Command{
		Use:   "describe NAME|FILE",
		Short: "Say what the jobs are, and which machine would carry them",
		Long: `Says what the jobs of a workload are, which machine would carry them and at what
load, and shows the commented spec of a built-in workload. A CSV file may be of
any length, and its jobs may be too large for the machine.

With --machine it is about that machine alone; of a machine file with partitions
and types of GPUs it has the load of each.

The load is the part of a machine's cores and GPUs that the jobs need from the
first arrival to the last: above 100 % the queue grows as long as jobs arrive.`,
		Example: "  slurmlab workload describe 1.HC.ranges --machine tsubame\n" +
			"  slurmlab workload describe imported.csv",
		ValidArgsFunction: ofWorkloads().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			fault := l.check()
			if wide && l.format != table.TextFormat {
				fault = fmt.Errorf("wide: got it with format %s, which always has everything; leave it out", l.format)
			}
			if fault != nil {
				return usage(fault)
			}
			machine, profile, origin, err := g.profile(s, args[0])
			if err != nil {
				return err
			}
			if l.format != table.TextFormat {
				var described report.WorkloadJSON
				if described, err = report.NewWorkloadJSON(args[0], machine, g.given.Changed("machine"), profile, origin); err != nil {
					return err
				}
				return l.print(s, described, nil)
			}
			d := report.Description{Screen: s.screen(), Prose: s.width(), Wide: wide, Named: g.given.Changed("machine")}
			if err = d.Workload(args[0], machine, g.seed, profile); err != nil {
				return err
			}
			for _, line := range origin {
				d.Line("%s", line)
			}
			_, err = io.WriteString(s.Stdout, d.String())
			return err
		},
	}
	g.flags(cmd)
	l.flag(cmd)
	wideFlag(cmd, &wide)
	return cmd
}

// wideFlag is --wide of a description.
func wideFlag(cmd *cobra.Command, wide *bool) {
	declare(cmd, headResults, flag("wide", wide, false, "all columns of the tables, however wide the screen is"))
}

// profile describes the jobs. Jobs of a CSV file, which may be more than a run takes, are read one by one, unless a
// flag is set that no list of jobs can have.
func (g *generation) profile(s *State, nameOrFile string) (workloads.Machine, *profile.Profile, []string, error) {
	described := &profile.Profile{}
	// Whether each job fits on nodes that differ cannot be told from the largest requests.
	groups := false
	if m, err := workloads.LoadMachine(g.machine); err == nil {
		groups = m.Unequal()
	}
	if groups || filepath.Ext(nameOrFile) != ".csv" || g.estimated != 0 || g.arrivals != "" || g.given.Changed("seed") {
		machine, workload, jobs, err := g.jobs(nameOrFile)
		for _, j := range jobs {
			described.Add(j)
		}
		return machine, described, workload.Origin(), err
	}
	machine, err := workloads.LoadMachine(g.machine)
	if err != nil {
		return machine, nil, nil, usage(err)
	}
	file, err := os.Open(nameOrFile)
	if err != nil {
		return machine, nil, nil, usage(fmt.Errorf("read workload: %w", err))
	}
	// What was only read loses nothing when it is closed.
	defer func() { _ = file.Close() }()
	origin, err := workloads.StreamCSV(stoppable{s.Context, file}, nameOrFile, described.Add)
	if errors.Is(err, run.ErrStopped) {
		// Without the line that was being read.
		return machine, nil, nil, run.ErrStopped
	}
	return machine, described, origin, usage(err)
}
