package paper

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// Beside is a figure minus the figure of Slurm's own scheduler in the same experiment, in the unit of tables.
type Beside struct {
	Paper float64
	// Pairs is the number of seeds that both have a run of, Ours the mean
	// difference within a seed, unknown for none.
	Pairs int
	Ours  float64
	// Interval is that of Ours; nil for fewer than two pairs. P is the probability of Ours by chance, NaN without an
	// interval.
	Interval *compare.Interval
	P        float64
	compare.Ruling
	// base is the mean of the other runs of the pairs.
	base float64
}

// baseline is the row of Slurm's own scheduler to compare a row with. It is the one with the same name or, where each
// experiment has a name of its own, the first that differs in the policy alone.
func (r Row) baseline(rows []Row) (Row, bool) {
	own := r.Experiments()
	if len(own) == 0 || !r.agent {
		return Row{}, false
	}
	var same []Row
	for _, b := range rows {
		of := b.Experiments()
		if len(of) == 0 || b.agent || b.Table != r.Table {
			continue
		}
		if b.Name == r.Name {
			return b, true
		}
		of[0].Policy = own[0].Policy
		if of[0] == own[0] {
			same = append(same, b)
		}
	}
	return append(same, Row{})[0], len(same) > 0
}

// strongest is the row that the runs of policy backfill, in the experiment of a baseline, would
// have. The papers have none: it has no figures.
func (r Row) strongest() Row {
	r.Policies, r.Priority, r.Values = []string{trace.Backfill}, string(priority.SizeByTime), nil
	return r
}

// underTodaysNames returns the runs with their policies under the names of today, so that what is compared with what
// does not depend on when it was run. It also returns the name that the table has for trace.WholeQueue: the one in
// the runs, if all have the same.
func underTodaysNames(runs []metric.Result) (named []metric.Result, wholeQueue string) {
	var recorded []string
	for _, run := range runs {
		if today := run.Run.PolicyToday(); today != run.Run.Policy {
			if today == trace.WholeQueue {
				recorded = append(recorded, run.Run.Policy)
			}
			run.Run.Policy = today
			if run.Metrics != nil {
				metrics := *run.Metrics
				metrics.Policy = today
				run.Metrics = &metrics
			}
		} else if today == trace.WholeQueue {
			recorded = append(recorded, today)
		}
		named = append(named, run)
	}
	slices.Sort(recorded)
	if recorded = slices.Compact(recorded); len(recorded) == 1 {
		return named, recorded[0]
	}
	return named, trace.WholeQueue
}

// pairs calls visit with each run of the row under the policy and the run of the same seed in base.
func (r Row) pairs(base Row, policy string, runs []metric.Result, visit func(run, other metric.Result)) {
	slurms := base.Experiments()[0].Policy
	for _, run := range runs {
		if !r.has(run.Run.Settings) || run.Run.Policy != policy {
			continue
		}
		for _, other := range runs {
			if base.has(other.Run.Settings) && other.Run.Policy == slurms && other.Run.Seed == run.Run.Seed {
				visit(run, other)
			}
		}
	}
}

// checkPairs refuses pairs that differ in more than the policy and the version of
// slurmlab. The jobs with GPU ranges are another workload than those without.
func checkPairs(rows []Row, runs []metric.Result) error {
	var faults []error
	told := map[string]bool{}
	for _, r := range rows {
		base, found := r.baseline(rows)
		if !found {
			continue
		}
		check := func(run, other metric.Result) {
			free := trace.Free{Tool: true, Policy: true, Workload: run.Run.Workload != other.Run.Workload}
			if d := run.Differences(other.Data, free); len(d) > 0 && !told[run.Path] {
				told[run.Path] = true
				faults = append(faults, fmt.Errorf("run %s is no pair with run %s: they differ in %s", run.Path, other.Path, d))
			}
		}
		for _, policy := range r.shown(runs) {
			r.pairs(base, policy, runs, check)
			r.pairs(base.strongest(), policy, runs, check)
		}
	}
	return errors.Join(faults...)
}
