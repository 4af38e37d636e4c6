package paper

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// check refuses runs that are in no row, and those of a row that differ in more
// than the seed or not even in that: they have no mean with an interval. Then it
// looks at the pairs.
func check(rows []Row, runs []Run) error {
	var faults []error
	type set struct{ machine, workload, policy string }
	replicas := map[set][]Run{}
	for _, run := range runs {
		m := run.Metrics
		of := set{m.Machine, m.Workload, m.Policy}
		row := slices.IndexFunc(rows, func(r Row) bool { return r.has(m) })
		switch {
		case row < 0:
			faults = append(faults, fmt.Errorf("run %s: machine %s, workload %s and policy %s are in no row asked for, allowed: %s",
				run.Path, m.Machine, m.Workload, m.Policy, allowed(rows, m)))
		case run.Run.PriorityType != "priority/"+rows[row].Priority:
			faults = append(faults, fmt.Errorf("run %s: it has %s, allowed in its row: priority/%s", run.Path, run.Run.PriorityType, rows[row].Priority))
		case run.Run.FullConfiguration != "":
			faults = append(faults, fmt.Errorf("run %s: full configuration %s is in no row, the papers ran without", run.Path, run.Run.FullConfiguration))
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

// checkReplica compares a run with the earlier ones of its machine, workload and
// policy, which are equal but for the seed or faulty already.
func checkReplica(earlier []Run, run Run) error {
	if len(earlier) == 0 {
		return nil
	}
	if what := differences(earlier[0], run); len(what) > 0 {
		return fmt.Errorf("run %s is no replica of run %s: other %s", run.Path, earlier[0].Path, strings.Join(what, ", "))
	}
	i := slices.IndexFunc(earlier, func(e Run) bool { return e.Metrics.Seed == run.Metrics.Seed })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("run %s is no replica of run %s: both have seed %d", run.Path, earlier[i].Path, run.Metrics.Seed)
}

// differences names what two runs of a workload, or of a policy, must agree in and
// do not. A workload with GPU ranges and the one without are two.
func differences(x, y Run) []string {
	var what []string
	a, b := x.Run, y.Run
	if a.Machine != b.Machine {
		what = append(what, "machine")
	}
	if x.Metrics.Workload == y.Metrics.Workload && !bytes.Equal(a.WorkloadSpec, b.WorkloadSpec) {
		what = append(what, "workload spec")
	}
	if x.Metrics.Workload == y.Metrics.Workload && x.Metrics.Seed == y.Metrics.Seed && !bytes.Equal(x.Workload, y.Workload) {
		what = append(what, "jobs in workload.csv")
	}
	if x.Metrics.Policy == y.Metrics.Policy && !bytes.Equal(a.Parameters, b.Parameters) {
		what = append(what, "policy parameters")
	}
	if trace.ClockText(a.Clock, a.TimeScale, a.ThinkScale) != trace.ClockText(b.Clock, b.TimeScale, b.ThinkScale) {
		what = append(what, "clock")
	}
	if a.SlurmVersion != b.SlurmVersion {
		what = append(what, "Slurm version")
	}
	return what
}

// allowed says what the rows have for a run in none of them: the policies of its
// machine and workload, or else the machines and workloads.
func allowed(rows []Row, m metric.Metrics) string {
	var pairs, policies []string
	for _, r := range rows {
		pair := r.Machine + " " + r.Workload
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
		if r.Machine == m.Machine && r.Workload == m.Workload {
			policies = append(policies, r.Policies...)
		}
	}
	slices.Sort(policies)
	if policies = slices.Compact(policies); len(policies) > 0 {
		return "policies " + strings.Join(policies, ", ")
	}
	return strings.Join(pairs, ", ")
}
