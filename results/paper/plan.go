package paper

import (
	"slices"
	"strings"
)

// Settings are what a run of a row is started with, besides its seed. Rows with
// the same ones share their runs.
type Settings struct{ Machine, Workload, Priority, Policy string }

// Settings are those of the row's runs, one per policy that it names, the nearest
// first. A pattern names no policy to run.
func (r Row) Settings() []Settings {
	var all []Settings
	for _, policy := range r.Policies {
		if !strings.Contains(policy, "*") {
			all = append(all, Settings{Machine: r.Machine, Workload: r.Workload, Priority: r.Priority, Policy: policy})
		}
	}
	return all
}

// Planned is a run that rows need.
type Planned struct {
	Settings
	Seed uint64
}

// Plan lists the runs that the rows need, each once, with so many replicas of
// seeds counting up from first. A seed is done before the next begins, so that
// what is there when somebody stops has its pairs.
func Plan(rows []Row, first uint64, replicas int) []Planned {
	var settings []Settings
	for _, r := range rows {
		for _, s := range r.Settings() {
			if !slices.Contains(settings, s) {
				settings = append(settings, s)
			}
		}
	}
	var plan []Planned
	for i := range uint64(replicas) {
		for _, s := range settings {
			plan = append(plan, Planned{Settings: s, Seed: first + i})
		}
	}
	return plan
}
