package report

import (
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
)

// pageWarnings lists what speaks against the comparison, then against each run: those
// that are shown, with their sections, then the other replicas.
func pageWarnings(in Input, sections []Section) []Warning {
	var list []Warning
	for _, text := range WarningsOfRuns(in.all()) {
		list = append(list, Warning{Text: text})
	}
	for i, s := range sections {
		for _, w := range s.Warnings {
			list = append(list, Warning{Run: cmp.Or(in.Runs[i].Run.ID, s.Anchor), Anchor: s.Anchor, Text: w.Text})
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
			list = append(list, Warning{Run: r.Run.ID, Text: text})
		}
	}
	return list
}
