package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// sameWork is how far our theoretical runtime may be from the paper's, as a
// fraction of the paper's. Published rows are up to 9 % off those of our workloads (AUCSCHED table
// 6), since utilisation and runtime are rounded and the paper's jobs are others.
const sameWork = 0.1

// Remarks say which rows had another amount of work than the paper's, as in a rehearsal with a short
// theoretical runtime.
func Remarks(figures []Figure) []string {
	var rows []string
	for _, f := range figures {
		if !f.otherWork() {
			continue
		}
		row := fmt.Sprintf("%s (%.3f h, the paper's %.3f h)", f.Row.Name, f.Ours, f.Paper)
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []string{"The theoretical runtime is not the paper's in " + strings.Join(rows, ", ") +
		": differences to the paper say nothing there."}
}

// otherWork says of a theoretical runtime that it is not the paper's.
func (f Figure) otherWork() bool {
	return f.Measure.Column == "theoretical_runtime_h" && f.Runs > 0 && math.Abs(f.Ours/f.Paper-1) > sameWork
}

// BuildsOf say that the runs are of several builds of slurmlab, and how many are of each.
func BuildsOf(runs []metric.Result) []string {
	counts := map[string]int{}
	for _, r := range runs {
		counts[r.Run.ToolVersion]++
	}
	if len(counts) < 2 {
		return nil
	}
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s (%s)", version, text.Plural(counts[version], "run")))
	}
	return []string{"The runs are of several builds of slurmlab: " + strings.Join(parts, ", ") + "."}
}
