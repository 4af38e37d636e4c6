package paper

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// checkPublished refuses runs that are in no row, and runs of a row that are no replicas of each other. These differ
// in more than the seed, or two have one seed. Such runs have no mean with an interval. Then check looks at the
// pairs.
func checkPublished(rows []Row, runs []metric.Result) error {
	var faults []error
	type set struct{ machine, workload, policy string }
	replicas := map[set][]metric.Result{}
	for _, run := range runs {
		s := run.Run.Settings
		of := set{s.Machine.Name, s.Workload, s.Policy}
		row := rowOf(rows, s)
		switch {
		case run.Metrics == nil:
			faults = append(faults, fmt.Errorf("run %s has no metrics", run.Path))
		case row == nil:
			faults = append(faults, fmt.Errorf("run %s: machine %s, workload %s and policy %s are in no row asked for, allowed: %s",
				run.Path, of.machine, of.workload, of.policy, allowedRuns(rows, s)))
		case s.PriorityType != row.priorityType().Plugin():
			faults = append(faults, fmt.Errorf("run %s: it has %s, allowed in its row: %s", run.Path, s.PriorityType, row.priorityType().Plugin()))
		case s.PriorityParameters != "" && s.PriorityParameters != row.weights():
			faults = append(faults, fmt.Errorf("run %s: it has %s, allowed in its row: %s", run.Path, s.PriorityParameters, row.weights()))
		case s.FullConfiguration != "":
			faults = append(faults, fmt.Errorf("run %s: full configuration %s is in no row, the papers ran without", run.Path, s.FullConfiguration))
		default:
			faults = append(faults, checkReplica(replicas[of], run))
			replicas[of] = append(replicas[of], run)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	return checkPairs(rows, runs)
}

// weights are the lines of slurm.conf on priority that the runs of a row have, as they are
// recorded; runs from before they were recorded have none.
func (r Row) weights() string { return strings.Join(r.priorityType().Lines(), ",") }

func (r Row) priorityType() priority.Type { return priority.Type(r.Priority) }

// rowOf is the first row that a run is in, or the one beside a baseline that runs of the tuned backfill are in; nil
// for a run in neither.
func rowOf(rows []Row, run trace.Settings) *Row {
	for _, r := range rows {
		if r.has(run) {
			return &r
		}
		if s := r.strongest(); !r.agent && s.has(run) {
			return &s
		}
	}
	return nil
}

// checkReplica compares a run with the earlier ones of its machine, workload and
// policy, which are equal but for the seed or faulty already.
func checkReplica(earlier []metric.Result, run metric.Result) error {
	if len(earlier) == 0 {
		return nil
	}
	if d := earlier[0].Differences(run.Data, trace.Free{Tool: true, Seed: true, Jobs: earlier[0].Run.Seed != run.Run.Seed}); len(d) > 0 {
		return fmt.Errorf("run %s is no replica of run %s: they differ in %s", run.Path, earlier[0].Path, d)
	}
	i := slices.IndexFunc(earlier, func(e metric.Result) bool { return e.Run.Seed == run.Run.Seed })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("run %s is no replica of run %s: both have seed %d", run.Path, earlier[i].Path, run.Run.Seed)
}

// allowedRuns says what the rows have for a run in none of them: the policies of its
// machine and workload, or else the machines and workloads.
func allowedRuns(rows []Row, run trace.Settings) string {
	var pairs, policies []string
	for _, r := range rows {
		pair := r.Machine + " " + r.Workload
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
		if r.Machine == run.Machine.Name && r.Workload == run.Workload {
			policies = append(policies, r.Policies...)
		}
	}
	slices.Sort(policies)
	if policies = slices.Compact(policies); len(policies) > 0 {
		return "policies " + strings.Join(policies, ", ")
	}
	return strings.Join(pairs, ", ")
}
