package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
)

func compareCommand(s *State) *cobra.Command {
	e := experiment{execution: execution{goesOn: true, elsewhere: "choose another directory with --out"}}
	var f form
	var two sideFlags
	var r replication
	var windows int
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Run one workload under two policies, or on two kinds of cluster",
		Long: `Runs the same jobs under two policies, on clusters of their own, once per
replica (seed, seed+1, ...), and compares them metric by metric: means, paired
differences and, from two replicas on, 95 % confidence intervals. Flags that are
given take the place of the settings of both policies ("slurmlab policy list").

Two of --slurm and one of --policies compare two kinds of cluster under one
policy: the same metrics, those of the emulation itself, and how far apart the
starts of each job are.

A list of jobs is the same under every seed: its replicas are repetitions, which
tell run-to-run noise and have no interval. --windows cuts a list that is a
trace by arrival time into windows of equal span, each of which is a replica.

The directory gets one run directory per run, the tables as CSV and Markdown,
the pictures of the first seed or window and report.html. What is complete there
with the same settings is used and not run again, so that the same command with
--out goes on after an interruption; broken runs are moved to "broken" below it.`,
		Example: `  slurmlab compare --machine S --workload V.2 --replicas 3
  slurmlab compare --machine cluster.yaml --workload trace.csv --windows 6
  slurmlab compare --slurm 24.11,26.05 --policies backfill --replicas 5`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fault := two.read(&e)
			if cmd.Flags().Changed("windows") {
				fault = errors.Join(fault, e.checkWindows(windows, cmd.Flags().Changed("replicas")))
			}
			p, err := e.prepare(s, fault, r.check(e.core), f.check())
			if err != nil {
				return err
			}
			if e.stamped = e.out == ""; e.stamped {
				e.out = filepath.Join("runs", fmt.Sprintf("%s-%s-compare-%s", p.machine.Name, p.workload.Name(), stamp()))
			}
			replicas, err := e.replicas(p, r.replicas, windows)
			if err != nil {
				return err
			}
			configs, err := e.pairs(s, replicas, two.sides())
			if err != nil {
				return err
			}
			if err := checkOurs(e.out, configs); err != nil {
				return usage(err)
			}
			if err := e.complete(cmd.Context(), s, r.parallel, configs); err != nil {
				return err
			}
			return conclude(s, f, e.out, dirs(configs))
		},
	}
	e.flags(cmd, s)
	two.flags(cmd)
	f.flags(cmd)
	r.flags(cmd, 1)
	under(cmd, headRepeat, func(set *pflag.FlagSet) {
		set.IntVar(&windows, "windows", 0, "cut a list of jobs by arrival into so many windows, each a replica")
	})
	return cmd
}

// checkWindows cuts the workload, whose other faults are found elsewhere.
func (e *experiment) checkWindows(n int, replicas bool) error {
	if replicas {
		return errors.New("windows: replicas and windows exclude each other")
	}
	workload, err := e.changes.load(e.workload)
	if err != nil {
		return nil
	}
	_, err = workload.Windows(n)
	return err
}

// replica is the jobs that the runs of a pair have in common.
type replica struct {
	plan
	seed uint64
}

// replicas are the plan under each seed, or each window of it.
func (e *experiment) replicas(p plan, n, windows int) ([]replica, error) {
	var list []replica
	if windows == 0 {
		for i := range uint64(n) {
			list = append(list, replica{p, e.seed + i})
		}
		return list, nil
	}
	parts, err := p.workload.Windows(windows)
	if err != nil {
		return nil, usage(err)
	}
	for _, part := range parts {
		p.workload = part
		list = append(list, replica{p, e.seed})
	}
	return list, nil
}

// replication holds the flags that say how often something runs.
type replication struct{ replicas, parallel int }

func (r *replication) flags(cmd *cobra.Command, replicas int) {
	under(cmd, headRepeat, func(set *pflag.FlagSet) {
		set.IntVar(&r.replicas, "replicas", replicas, "runs per policy, with seeds counting up from --seed")
	})
	under(cmd, headCluster, r.parallelFlag)
}

func (r *replication) parallelFlag(set *pflag.FlagSet) {
	set.IntVar(&r.parallel, "parallel", 0, "clusters at the same time, each on a core of its own; 0 for all free cores")
}

// check lists the faults of the flags; core is the value of --core.
func (r *replication) check(core string) error {
	var faults []error
	if r.replicas < 1 || r.replicas > 1000 {
		faults = append(faults, fmt.Errorf("replicas: %d is not allowed, want 1 to 1000", r.replicas))
	}
	if r.parallel < 0 {
		faults = append(faults, fmt.Errorf("parallel: %d is not allowed, want 1 or more, or 0 for all free cores", r.parallel))
	}
	if core != coreAuto && core != coreNone && r.parallel > 1 {
		faults = append(faults, fmt.Errorf("parallel: has no effect with --core %s, which has one cluster at a time; leave one of them out", core))
	}
	return errors.Join(faults...)
}

// pairs lists the runs, the two of a replica next to each other.
func (e *experiment) pairs(s *State, replicas []replica, two []side) ([]lab.Config, error) {
	var configs []lab.Config
	for _, r := range replicas {
		for _, one := range two {
			name := one.policy.Name
			if two[0].kind.slurm != two[1].kind.slurm {
				name += "-" + one.kind.slurm
			}
			c, err := e.config(s, r.plan, one, r.seed, filepath.Join(e.out, runName(r.plan, name, r.seed)))
			if err != nil {
				return nil, err
			}
			configs = append(configs, c)
		}
	}
	return configs, nil
}

func dirs(configs []lab.Config) []string {
	list := make([]string, len(configs))
	for i, c := range configs {
		list[i] = c.Dir
	}
	return list
}
