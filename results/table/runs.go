package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
)

// shownKeys are the measures that people see in the table of runs. CSV has all.
func shownKeys() []string {
	return []string{
		"completed", "theoretical_runtime_s", "lower_bound_s", "runtime_s", "cpu_utilization", "gpu_utilization",
		"waiting_s", "slowdown", "bounded_slowdown", "fragmentation", "spread", "packing", "cycle_s.mean",
		"placement.exact", "speed", "elapsed_error_s.max",
	}
}

// shown says whether people see the measure in the table of runs: one of
// shownKeys, or one that few runs have and some of these do.
func shown(m metric.Measure, runs []metric.Metrics) bool {
	special := []string{"esp_efficiency", "switch_spread"}
	return slices.Contains(shownKeys(), m.Key) || slices.Contains(special, m.Key) && knownOf(m, runs)
}

func knownOf(m metric.Measure, runs []metric.Metrics) bool {
	return slices.ContainsFunc(runs, func(r metric.Metrics) bool {
		_, known := m.Value(r)
		return known
	})
}

// Runs makes the table of runs: one row per element of metrics, in its order,
// and the columns in the order of the papers' tables (AUCSCHED tables 5-8,
// AUCSCHED2 table 3), in their units: hours and per cent. The clock is there
// because runs of different clocks do not compare.
func Runs(metrics []metric.Metrics) (Table, error) {
	columns := []Column{
		{Title: "Machine", Names: []string{"machine"}, Left: true},
		{Title: "Workload", Names: []string{"workload"}, Left: true},
		{Title: "Policy", Names: []string{"policy"}, Left: true},
		{Title: "Seed", Names: []string{"seed"}},
		{Title: "Clock", Names: []string{"clock", "time_scale", "think_scale"}, Left: true},
	}
	measures := metric.Measures()
	for _, m := range measures {
		columns = append(columns, measureColumn(m, shown(m, metrics)))
	}
	rows := make([][]Cell, len(metrics))
	for i, m := range metrics {
		rows[i] = []Cell{Text(m.Machine), Text(m.Workload), Text(m.Policy), Count(m.Seed), clock(m)}
		for _, of := range measures {
			rows[i] = append(rows[i], measureCell(of, m))
		}
	}
	return New(columns, rows)
}

// Measures makes the table of everything that is known about a few runs: a row
// per measure and a column per run.
func Measures(metrics []metric.Metrics) (Table, error) {
	columns := []Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: "Unit", Names: []string{"unit"}, Left: true},
	}
	for i, m := range metrics {
		name := fmt.Sprintf("%d: %s, seed %d", i+1, Text(m.Policy).Shown, m.Seed)
		columns = append(columns, Column{Title: name, Names: []string{name}})
	}
	var rows [][]Cell
	for _, of := range metric.Measures() {
		row := []Cell{{Shown: of.Name, Values: []string{of.Column}}, Text(of.Unit.Heading())}
		for _, m := range metrics {
			c := measureCell(of, m)
			row = append(row, Cell{Shown: c.Shown, Values: c.Values[:1]})
		}
		rows = append(rows, row)
	}
	return New(columns, rows)
}

// Groups makes the table of the jobs of each run divided in one way, one of
// metric.GroupBys: a row per run and group.
func Groups(metrics []metric.Metrics, by string) (Table, error) {
	columns := []Column{
		{Title: "Machine", Names: []string{"machine"}, Left: true},
		{Title: "Workload", Names: []string{"workload"}, Left: true},
		{Title: "Policy", Names: []string{"policy"}, Left: true},
		{Title: "Seed", Names: []string{"seed"}},
		{Title: "Jobs by " + by, Names: []string{by}, Left: true},
		{Title: "Started", Names: []string{"started", "jobs"}},
	}
	var measures []metric.Measure
	for _, m := range metric.Measures() {
		if m.Std != nil {
			measures = append(measures, m)
			columns = append(columns, measureColumn(m, knownOf(m, metrics)))
		}
	}
	var rows [][]Cell
	for _, m := range metrics {
		for _, g := range m.Groups {
			if g.By != by {
				continue
			}
			row := []Cell{Text(m.Machine), Text(m.Workload), Text(m.Policy), Count(m.Seed), Text(g.Name), outOf(g.Started, g.Jobs)}
			for _, of := range measures {
				row = append(row, measureCell(of, metric.Metrics{PerJob: g.PerJob}))
			}
			rows = append(rows, row)
		}
	}
	return New(columns, rows)
}

// Definitions is the table of what every metric means.
func Definitions() (Table, error) {
	columns := []Column{
		{Title: "metrics.json", Names: []string{"key"}, Left: true},
		{Title: "Unit", Names: []string{"unit"}, Left: true},
		{Title: "CSV", Names: []string{"column"}, Left: true},
		{Title: "Name", Names: []string{"name"}, Left: true},
		{Title: "Better", Names: []string{"better"}, Left: true},
		{Title: "Definition", Names: []string{"definition"}, Left: true},
		{Title: "Source", Names: []string{"source"}, Left: true},
	}
	var rows [][]Cell
	for _, m := range metric.Measures() {
		row := []Cell{Text(m.Key), Text(m.Unit.Symbol()), Text(m.Column), Text(m.Name), Text(m.Better.String()), Text(m.Definition), Text(m.Source)}
		rows = append(rows, row)
	}
	return New(columns, rows)
}

// measureColumn is the column of a measure, in CSV alone unless it is shown.
func measureColumn(m metric.Measure, shown bool) Column {
	c := Column{Names: []string{m.Column}}
	if shown {
		c.Title = m.Heading()
	}
	if m.Std != nil {
		c.Names = append(c.Names, m.StdColumn())
	}
	if m.Of != nil {
		c.Names = append(c.Names, m.OfColumn)
	}
	return c
}

// measureCell has as many values as measureColumn has names.
func measureCell(m metric.Measure, of metric.Metrics) Cell {
	v, known := m.Value(of)
	switch {
	case !known && (m.Of != nil || m.Std != nil):
		return Unknown(2)
	case !known:
		return Unknown(1)
	case m.Of != nil:
		return outOf(int(v), int(m.Of(of)))
	case m.Std != nil:
		return MeanStd(m.Unit.InTable(v), m.Unit.InTable(m.Std(of)), m.Unit.Decimals())
	default:
		return Number(m.Unit.InTable(v), m.Unit.Decimals())
	}
}

func outOf(part, whole int) Cell {
	return Cell{Shown: fmt.Sprintf("%d/%d", part, whole), Values: []string{strconv.Itoa(part), strconv.Itoa(whole)}}
}

func clock(m metric.Metrics) Cell {
	return Cell{Shown: Text(m.ClockText()).Shown, Values: []string{Text(m.Clock).Shown, exact(m.TimeScale), exact(m.ThinkScale)}}
}
