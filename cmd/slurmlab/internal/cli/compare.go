package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/metric"
)

func compareCommand(s *State) *cobra.Command {
	e := experiment{execution: execution{Execution: campaign.Execution{GoesOn: true, Elsewhere: "choose another directory with --out"}, paired: true}}
	var f form
	var two sideFlags
	var r replication
	var from fromCheckpoints
	var windows int
	var by string
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Run one workload under policies, or on two backends",
		Long: `Runs the same jobs under two policies, on clusters of their own, once per
replica (seed, seed+1, ...), and compares them metric by metric: means, paired
differences and, from two replicas on, 95 % confidence intervals.

--set KEY=VALUE changes each policy that has the key: a parameter of the agent,
priority, a word of SchedulerParameters or a line of slurm.conf. --vary compares
one policy with itself, under several values of a key, or as it is and with
one. --variants takes policies with settings from a file, as "policies" of a
campaign file has them; each is compared with the first, in one table and one
report.

Two of --machine or of --events and one of --policies compare two machines, or
two lists of events, under one policy. Both sides have the same jobs.

Two of --backend compare two backends: the same metrics, the metrics of the
emulation itself, and how far apart the starts of each job are.

A list of jobs is the same under every seed: its replicas are repetitions, which
tell run-to-run noise and have no interval. --windows cuts a list that is a
trace by arrival time into windows of equal span, each of which is a replica.

--checkpoint compares futures of one past: the runs go on from a checkpoint that
"slurmlab run --stop-at" has left, under each policy.

The directory gets one run directory per run, the tables as CSV and Markdown,
the pictures of the first seed or window and report.html. --by divides the jobs
into groups, and also prints and writes the means over each group. Complete runs
with the same settings are used and not made again: after an interruption the
same command with --out goes on. Broken runs are moved to "broken" below it.`,
		Example: `  slurmlab compare --machine S --workload V.2 --replicas 3
  slurmlab compare --machine cluster.yaml --workload trace.csv --windows 6
  slurmlab compare --vary bf_window=1440,5760 --set KillWait=60 --replicas 3
  slurmlab compare --variants variants.yaml --replicas 5
  slurmlab compare --machine cluster.yaml --workload trace.csv --by account
  slurmlab compare --machine ours.yaml,larger.yaml --workload trace.csv \
    --policies backfill
  slurmlab compare --events none,drain.csv --policies backfill
  slurmlab compare --backend external,frontend --policies backfill
  slurmlab compare --checkpoint past/checkpoint --policies backfill,fifo`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fault := errors.Join(from.read(&e), two.read(&e))
			if len(from.paths) == 0 {
				e.goOn()
			}
			if cmd.Flags().Changed("windows") {
				fault = errors.Join(fault, e.checkWindows(windows, cmd.Flags().Changed("replicas")))
			}
			if e.AnyBuild && e.Out == "" && len(from.paths) == 0 {
				fault = errors.Join(fault, errors.New("any-build: has no effect without --out, in whose directory runs may be, or --checkpoint"))
			}
			faults := []error{fault, r.check(e.Core), f.Check(), e.checkUI(), checkBy(by)}
			var configs []run.Config
			var err error
			if len(from.paths) > 0 {
				configs, err = from.configs(&e, &two, faults...)
			} else {
				configs, err = e.fromStart(s, func() []campaign.Side { return two.sides(&e) }, r.replicas, windows, faults...)
			}
			if err != nil {
				return err
			}
			if err = campaign.CheckOurs(e.Out, configs); err != nil {
				return usage(err)
			}
			if err = e.runMissing(cmd.Context(), s, r.parallel, configs); err != nil {
				return err
			}
			runs, err := metric.LoadAll(e.Load, dirs(configs)...)
			if err != nil {
				return err
			}
			if len(two.policies) > 2 {
				return concludeVariants(s, f, by, e.Out, runs, two.policies, two.sweeps)
			}
			return conclude(s, f, by, e.Out, runs)
		},
	}
	e.flags(cmd, s, two.world.machineFlag(), two.world.eventsFlag())
	two.flags(cmd)
	from.flag(cmd)
	f.flags(cmd)
	r.flags(cmd, 1)
	e.anyBuildFlag(cmd)
	declare(cmd, headRepeat, flag("windows", &windows, 0, "cut a list of jobs by arrival into so many windows, each a replica"))
	byFlag(cmd, &by, "divide the jobs, and compare the means over each group: ")
	return cmd
}

// fromStart lists the runs of a comparison that begins at the beginning. The error lists the faults that the caller found
// together with its own.
func (e *experiment) fromStart(s *State, sides func() []campaign.Side, n, windows int, faults ...error) ([]run.Config, error) {
	p, err := e.prepare(s, faults...)
	if err != nil {
		return nil, err
	}
	e.nameOut(p.Machine.Name, p.Label)
	replicas, err := p.Replicas(n, windows)
	if err != nil {
		return nil, err
	}
	return campaign.Pairs(replicas, sides(), e.Out, e.config)
}

// goOn has runs in a directory that was begun go on with its backend, where the flags name none.
func (e *experiment) goOn() {
	if len(e.backends) == 1 {
		e.backends[0].goOn(e.Out)
	}
}

// nameOut names the directory of the results where the user did not.
func (e *experiment) nameOut(machine, workload string) {
	if e.Stamped = e.Out == ""; e.Stamped {
		e.Out = filepath.Join("runs", fmt.Sprintf("%s-%s-compare-%s", machine, workload, stamp()))
	}
}

// byFlag is --by, which divides jobs into groups.
func byFlag(cmd *cobra.Command, by *string, what string) {
	declare(cmd, headResults, flag("by", by, "", what+strings.Join(metric.GroupBys(), ", ")).completes(ofWords(metric.GroupBys()...)))
}

// checkBy says what is allowed for a value of --by that is none.
func checkBy(by string) error {
	if by == "" || slices.Contains(metric.GroupBys(), by) {
		return nil
	}
	return fmt.Errorf("by: %q is not known, allowed are %s%s", by, strings.Join(metric.GroupBys(), ", "), faults.DidYouMean(by, metric.GroupBys()))
}

// checkWindows cuts the workload, whose other faults are found elsewhere.
func (e *experiment) checkWindows(n int, replicas bool) error {
	if e.happens() {
		return errors.New("windows: events and windows exclude each other, as the times of events are of one run")
	}
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

// replication holds the flags that say how often something runs.
type replication struct{ replicas, parallel int }

func (r *replication) flags(cmd *cobra.Command, replicas int) {
	declare(cmd, headRepeat, flag("replicas", &r.replicas, replicas, "runs per policy, with seeds counting up from --seed").usual())
	declare(cmd, headCluster, r.parallelFlag())
}

func (r *replication) parallelFlag() flagSpec {
	return flag("parallel", &r.parallel, 0, "clusters at the same time, each on a core of its own; 0 for all free cores")
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
	if core != campaign.CoreAuto && core != campaign.CoreNone && r.parallel > 1 {
		faults = append(faults, fmt.Errorf("parallel: has no effect with --core %s, which has one cluster at a time; leave one of them out", core))
	}
	return errors.Join(faults...)
}

func dirs(configs []run.Config) []string {
	list := make([]string, len(configs))
	for i, c := range configs {
		list[i] = c.Dir
	}
	return list
}
