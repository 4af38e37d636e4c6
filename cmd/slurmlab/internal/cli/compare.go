package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/policy"
)

func compareCommand(s *State) *cobra.Command {
	e := experiment{goesOn: true, elsewhere: "choose another directory with --out"}
	var f form
	var names []string
	var r replication
	var windows int
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Run one workload under two policies and compare them",
		Long: `Runs the same jobs under two policies, on clusters of their own, once per
replica (seed, seed+1, ...), and compares them metric by metric: means, paired
differences and, from two replicas on, 95 % confidence intervals. Flags that are
given take the place of the settings of both policies ("slurmlab policy list").

A list of jobs is the same under every seed: its replicas are repetitions, which
tell run-to-run noise and have no interval. --windows cuts a list that is a
trace by arrival time into windows of equal span, each of which is a replica.

The directory gets one run directory per run, the tables as CSV and Markdown,
the pictures of the first seed or window and report.html. What is complete there
with the same settings is used and not run again, so that the same command with
--out goes on after an interruption; broken runs are moved to "broken" below it.`,
		Example: `  slurmlab compare --machine S --workload V.2 --replicas 3
  slurmlab compare --machine cluster.yaml --workload trace.csv --windows 6`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			policies, fault := e.pair(names)
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
			configs, err := e.pairs(s, replicas, policies)
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
	under(cmd, headPolicy, func(set *pflag.FlagSet) {
		set.StringSliceVar(&names, "policies", []string{policy.Backfill, policy.Auction}, "the two policies")
	})
	complete(cmd, "policies", completions(ofPolicies).separated())
	e.flags(cmd, s)
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
	under(cmd, headCluster, func(set *pflag.FlagSet) {
		set.IntVar(&r.parallel, "parallel", 0, "clusters at the same time, each on a core of its own; 0 for all free cores")
	})
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

// pair returns the two policies, as experiment.policy does.
func (e *experiment) pair(names []string) ([]policy.Policy, error) {
	if len(names) != 2 {
		return nil, fmt.Errorf("policies: got %d, want two, separated by a comma", len(names))
	}
	var policies []policy.Policy
	var faults []error
	if names[0] == names[1] {
		faults = append(faults, fmt.Errorf("policies: %q is named twice, want two different ones", names[0]))
		names = names[:1]
	}
	for _, name := range names {
		policy, err := e.policy(name)
		policies = append(policies, policy)
		if err == nil {
			continue
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			// Both policies mostly have the same faults of flags.
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == line }) {
				faults = append(faults, errors.New(line))
			}
		}
	}
	if len(faults) == 0 {
		faults = append(faults, e.effects(policies...))
	}
	return policies, errors.Join(faults...)
}

// pairs lists the runs, the two of a replica next to each other.
func (e *experiment) pairs(s *State, replicas []replica, policies []policy.Policy) ([]lab.Config, error) {
	var configs []lab.Config
	for _, r := range replicas {
		for _, policy := range policies {
			c, err := e.config(s, r.plan, policy, r.seed, filepath.Join(e.out, runName(r.plan, policy.Name, r.seed)))
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
