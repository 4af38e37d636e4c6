package report

import (
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
)

// warning is one reason to doubt a number. Run and Anchor are empty when it is
// about all runs together, Anchor also where the page has no section on the run.
type warning struct {
	Run, Anchor, Text string
}

// pageWarnings lists what speaks against the comparison, then against each run: those
// that are shown, with their sections, then the other replicas.
func pageWarnings(in Input, sections []runSection) []warning {
	var list []warning
	for _, text := range WarningsOfRuns(in.all()) {
		list = append(list, warning{Text: text})
	}
	for _, s := range sections {
		for _, text := range s.Warnings {
			list = append(list, warning{Run: s.Name, Anchor: s.Anchor, Text: text})
		}
	}
	shown := func(r metric.Result) bool {
		return slices.ContainsFunc(in.Runs, func(one metric.Result) bool { return one.Run.ID == r.Run.ID })
	}
	for _, r := range in.all() {
		if shown(r) {
			continue
		}
		for _, text := range WarningsOfRun(r) {
			list = append(list, warning{Run: r.Run.ID, Text: text})
		}
	}
	return list
}
