package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/workloads"
)

func workloadCommand(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workload",
		Short: "List, describe, generate, import, export and anonymise workloads",
	}
	cmd.AddCommand(workloadListCommand(s), workloadDescribeCommand(s), workloadGenerateCommand(s),
		workloadImportCommand(s), workloadExportCommand(s), workloadAnonymiseCommand(s))
	return cmd
}

func workloadListCommand(s *State) *cobra.Command {
	var l listing
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the built-in workloads: name and origin",
		Example: "  slurmlab workload list",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			var names []named
			for _, b := range workloads.Builtins() {
				names = append(names, named{b.Name, b.About})
			}
			return l.printNames(s, names)
		},
	}
	l.flag(cmd)
	return cmd
}

// changes are what flags put in the place of a workload's own settings.
type changes struct {
	estimated time.Duration
	arrivals  string
}

func (c *changes) theoreticalFlag(cmd *cobra.Command) {
	declare(cmd, headJobs, flag("theoretical-runtime", &c.estimated, 0, "theoretical runtime of a generated workload, virtual (default: as in its spec)").usual())
}

func (c *changes) arrivalsFlag(cmd *cobra.Command) {
	declare(cmd, headJobs, flag("arrivals", &c.arrivals, "", "file with the arrivals of a generated workload's jobs: a workload's .csv, or a .txt of seconds, one a line").completes(ofFiles(workloads.ArrivalEndings()...)))
}

// checkSeed refuses a seed that was given for jobs that are the same under every seed.
func checkSeed(given *pflag.FlagSet, w workloads.Workload) error {
	if !given.Changed("seed") || w.Drawn() {
		return nil
	}
	return fmt.Errorf("seed: has no effect on workload %s, a fixed list of jobs; leave it out", w.Name())
}

// load returns the changed workload. The error lists the faults of all files.
func (c *changes) load(nameOrFile string) (workloads.Workload, error) {
	var faults []error
	workload, err := workloads.Load(nameOrFile)
	if err == nil && c.estimated != 0 {
		workload, err = workload.WithEstimatedRuntime(c.estimated)
	}
	faults = append(faults, err)
	if c.arrivals != "" {
		times, fault := workloads.LoadArrivals(c.arrivals)
		if err == nil && fault == nil {
			workload, fault = workload.WithArrivals(times)
		}
		faults = append(faults, fault)
	}
	return workload, errors.Join(faults...)
}

// generation has the flags of the commands that make jobs.
type generation struct {
	changes
	machine string
	seed    uint64
	given   *pflag.FlagSet
}

func (g *generation) flags(cmd *cobra.Command) {
	declare(cmd, headJobs, flag("machine", &g.machine, "S", machineHelp()).completes(ofMachines()))
	g.given = cmd.Flags()
	g.theoreticalFlag(cmd)
	g.arrivalsFlag(cmd)
	declare(cmd, headJobs, flag("seed", &g.seed, 1, "seed of the generator"))
}

// jobs makes the jobs. The error lists the faults that the caller found together
// with its own.
func (g *generation) jobs(nameOrFile string, faults ...error) (workloads.Machine, workloads.Workload, []workloads.Job, error) {
	machine, machineErr := workloads.LoadMachine(g.machine)
	workload, workloadErr := g.load(nameOrFile)
	if workloadErr == nil {
		workloadErr = checkSeed(g.given, workload)
	}
	if err := errors.Join(append(faults, machineErr, workloadErr)...); err != nil {
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
	var out string
	cmd := &cobra.Command{
		Use:   "generate NAME|FILE",
		Short: "Write a workload as CSV; same seed, same bytes",
		Example: `  slurmlab workload generate V.2 --machine S --seed 1 --out workload.csv
  slurmlab workload generate V.2 | head`,
		ValidArgsFunction: ofWorkloads().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, _, jobs, err := g.jobs(args[0], checkWorkloadOut(out))
			if err != nil {
				return err
			}
			return writeOut(s, out, func(w io.Writer) error { return workloads.WriteCSV(w, jobs) })
		},
	}
	g.flags(cmd)
	workloadOutFlag(cmd, &out)
	return cmd
}

// workloadOutFlag sets out to the file that a workload is written to.
func workloadOutFlag(cmd *cobra.Command, out *string) {
	declare(cmd, headResults, flag("out", out, "", "new file to write (default: standard output)").completes(ofFiles(".csv")).usual())
}

// checkWorkloadOut refuses a file that is there, because runs may have been made of it, and
// one in a directory that is not.
func checkWorkloadOut(out string) error {
	if out == "" {
		return nil
	}
	if dir := filepath.Dir(out); dir != "." {
		if at, err := os.Stat(dir); err != nil || !at.IsDir() {
			return fmt.Errorf("out: there is no directory %s for %s", dir, filepath.Base(out))
		}
	}
	return checkNew(out, "file")
}
