package compare

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// checkRun refuses a run whose metrics mean nothing or belong to another run.
func checkRun(r metric.Result) error {
	if !r.Complete() {
		return fmt.Errorf("run %s is %s: %s", r.Run.ID, r.Run.Status, r.Run.Reason)
	}
	m := r.Metrics
	if m == nil {
		return fmt.Errorf("run %s has no metrics", r.Run.ID)
	}
	if m.Policy != r.Run.Policy || m.Workload != r.Run.Workload || m.Machine != r.Run.Machine.Name || m.Seed != r.Run.Seed || m.Window != r.Run.Window || m.Jobs != r.Run.Jobs {
		return fmt.Errorf("run %s: its metrics are of another run (policy %s, workload %s, machine %s, seed %d, %d jobs)",
			r.Run.ID, m.Policy, m.Workload, m.Machine, m.Seed, m.Jobs)
	}
	return nil
}

// checkReplicas refuses runs of one side that differ in more than the seed or
// the window, and so in the jobs, or the version of slurmlab.
func checkReplicas(runs []metric.Result) error {
	return checkAlike(runs, trace.Free{Tool: true, Seed: true, Window: true, Jobs: true})
}

// checkRepeated refuses runs of the same jobs that differ in more than the version
// of slurmlab. The seed may differ, since a workload that is a list of jobs has the
// same jobs under every seed.
func checkRepeated(runs []metric.Result) error {
	return checkAlike(runs, trace.Free{Tool: true, Seed: true})
}

func checkAlike(runs []metric.Result, free trace.Free) error {
	var faults []error
	for _, r := range runs {
		faults = append(faults, checkRun(r))
	}
	first := runs[0]
	for _, r := range runs[1:] {
		if d := first.Differences(r.Data, free); len(d) > 0 {
			faults = append(faults, fmt.Errorf("run %s is no replica of run %s: they differ in %s", r.Run.ID, first.Run.ID, d))
		}
	}
	return errors.Join(faults...)
}
