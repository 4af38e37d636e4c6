package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads"
)

// The parts that only a report on several benchmarks has.
const (
	djsbDifferences = "differences"
	djsbOrder       = "order"
)

// readSides reads directories of results as readDJSB does. Each has the last part of its path for a
// name, or the whole path where two last parts are the same.
func readSides(s *State, dirs []string) ([]djsb.Side, error) {
	var paths, names []string
	for _, dir := range dirs {
		path := filepath.Clean(dir)
		if slices.Contains(paths, path) {
			return nil, usage(fmt.Errorf("%s: got it twice, allowed is each benchmark once", dir))
		}
		paths, names = append(paths, path), append(names, filepath.Base(path))
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) < len(names) {
		names = paths
	}
	var sides []djsb.Side
	for i, dir := range dirs {
		results, err := readDJSB(s, dir)
		if err != nil {
			return nil, err
		}
		sides = append(sides, djsb.Side{Name: names[i], Results: results})
	}
	return sides, nil
}

// aboutSides has a line about each benchmark.
func aboutSides(sides []djsb.Side) []string {
	var lines []string
	for _, side := range sides {
		applications := "emulated"
		switch {
		case side.Record.Config.On != workloads.SystemCluster:
			applications = "the user's"
		case side.Record.Real:
			applications = "real"
		}
		lines = append(lines, fmt.Sprintf("%s: %s with %s applications, %s", side.Name, side.Record.Config.Name, applications, aboutResults(side.Results)))
	}
	return lines
}

// newSidesPart makes a part of a report on several benchmarks.
func newSidesPart(sides []djsb.Side, name string) (djsbPart, error) {
	p := djsbPart{name: name, rows: true}
	nothing := ""
	var err error
	switch name {
	case djsbDifferences:
		p.title = "Differences to " + sides[0].Name
		p.words = []string{"Each number is that of the benchmark in its row less that of " + sides[0].Name + ": the mean over pairs of samples with the same number, which have the same sleeps where the seeds are the same."}
		nothing = "No other benchmark has an experiment that " + sides[0].Name + " has."
		p.table, p.rows, err = djsb.DifferencesTable(sides)
	case djsbFindings:
		p.title = "Findings of the paper on two configurations"
		p.words = []string{"Figure 4 of the paper has more memory than figure 3, and figure 5 a smaller system than figure 4. The margin is the least distance between the two sides, over the paper's scenarios and all numbers of analytics; below 0 ours is the opposite."}
		nothing = "No two of these benchmarks differ as the paper's do: in the memory of the simulation alone, which comes to fill more than half of a node, or in the size of the system alone."
		p.table, p.rows, err = djsb.BetweenTable(sides)
	case djsbOrder:
		p.title = "Real and emulated applications"
		p.words = []string{"The scenarios in their order, the best one first. > stands between two whose difference has an interval without 0 and is more than a second of Slurm's clock makes, ~ between others. Orders differ where two scenarios stand in opposite ways."}
		nothing = "No two of these benchmarks are a real and an emulated one of the same configuration."
		var sentences []string
		p.table, sentences, p.rows, err = djsb.OrderTable(sides)
		p.words = append(p.words, sentences...)
	case djsbResults:
		p.title, p.words = "Results", aboutSides(sides)
		p.table, err = djsb.SidesTable(sides)
	}
	if !p.rows {
		p.words = []string{nothing}
	}
	return p, err
}
