package paper

import (
	"slices"
	"strings"
)

// Experiment is what a run of a row is started with, besides its seed. Rows with
// the same one share their runs.
type Experiment struct{ Machine, Workload, Priority, Policy string }

// Experiments are the experiments of the row's runs, one per policy that it names, the nearest first. A pattern names
// no policy to run.
func (r Row) Experiments() []Experiment {
	var all []Experiment
	for _, policy := range r.Policies {
		if !strings.Contains(policy, "*") {
			all = append(all, Experiment{Machine: r.Machine, Workload: r.Workload, Priority: r.Priority, Policy: policy})
		}
	}
	return all
}

// PlannedRun is a run that rows need.
type PlannedRun struct {
	Experiment
	Seed uint64
}

// Plan lists the runs that the rows need, each once, with so many replicas of seeds counting up from first.
// With strongest it adds runs of the tuned backfill beside Slurm's own rows. A seed is done before the next begins,
// so that an interrupted plan leaves whole pairs.
func Plan(rows []Row, first uint64, replicas int, strongest bool) []PlannedRun {
	var experiments []Experiment
	for _, r := range rows {
		all := r.Experiments()
		if strongest && !r.agent {
			all = append(all, r.strongest().Experiments()...)
		}
		for _, e := range all {
			if !slices.Contains(experiments, e) {
				experiments = append(experiments, e)
			}
		}
	}
	var plan []PlannedRun
	for i := range uint64(replicas) {
		for _, e := range experiments {
			plan = append(plan, PlannedRun{Experiment: e, Seed: first + i})
		}
	}
	return plan
}
