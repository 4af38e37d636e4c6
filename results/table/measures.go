package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Measures makes the table of few runs: a row per measure and a column per run. It
// says once which machine, workload and clock they have in common.
func Measures(runs []metric.Metrics, measures []metric.Measure) (Table, error) {
	return someMeasures(runs, 0, len(runs), measures)
}

// someMeasures has the runs from one index up to another as columns, which are called as
// in the table of all of them.
func someMeasures(runs []metric.Metrics, from, to int, measures []metric.Measure) (Table, error) {
	// A row has one unit for all runs of the table of all of them.
	shown := func(of metric.Measure) metric.Shown {
		largest := 0.0
		for _, m := range runs {
			if v := math.Abs(value(of, m)); v > largest {
				largest = v
			}
		}
		return of.Unit.Shown(largest)
	}
	fields := []Field[metric.Measure]{
		Word("metric", func(of metric.Measure) string { return of.Column }),
		Word(".name", func(of metric.Measure) string { return of.Name }),
		Word("unit", func(of metric.Measure) string { return of.Unit.Heading() }),
		Word(".brief", func(of metric.Measure) string { return of.Brief }),
	}
	columns := []Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r Row) string { return r.Word(".name") }},
		{Title: "Unit", Names: []string{"unit"}, Left: true, Show: func(r Row) string {
			return shown(measures[r.Index]).Heading
		}},
	}
	common, differing := circumstances(runs)
	for i, m := range runs[from:to] {
		name := fmt.Sprintf("%d: %s", from+i+1, runTitle(m, differing))
		second := "." + name
		fields = append(fields,
			Number(name, func(of metric.Measure) float64 { return value(of, m) }),
			Number(second, func(of metric.Measure) float64 { return secondValue(of, m) }))
		title := name
		if len(runs) == 1 {
			title = runTitle(m, differing)
		}
		columns = append(columns, Column{Title: title, Names: []string{name}, Show: func(r Row) string {
			of := measures[r.Index]
			unit := shown(of)
			return measureText(of, unit.Scale*r.Number(name), unit.Scale*r.Number(second), unit.Decimals)
		}})
	}
	columns = append(columns, Column{Title: "What it is", Left: true, Rank: 1, Show: func(r Row) string { return r.Word(".brief") }})
	frame, err := NewFrame(measures, fields...)
	if err != nil {
		return Table{}, err
	}
	t, err := New(frame, columns...)
	t.common = common
	return t, err
}

// circumstances are what all runs were made with, as people read it, and those in which
// runs differ.
func circumstances(runs []metric.Metrics) (common []string, differing []func(metric.Metrics) string) {
	for _, c := range []struct {
		title string
		of    func(metric.Metrics) string
	}{
		{"Machine", func(m metric.Metrics) string { return m.Machine }},
		{"Workload", func(m metric.Metrics) string { return m.Workload }},
		{"Clock", metric.Metrics.ClockText},
	} {
		var words []string
		for _, m := range runs {
			words = append(words, clean(c.of(m)))
		}
		if allEqual(words) {
			common = append(common, c.title+" "+words[0])
		} else {
			differing = append(differing, c.of)
		}
	}
	if alike(runs) {
		differing = append(differing, func(m metric.Metrics) string { return m.Name })
	}
	return common, differing
}

// runTitle tells a run from others: "auction, seed 1", "auction, seed 1, M".
func runTitle(m metric.Metrics, differing []func(metric.Metrics) string) string {
	title := m.Policy + ", seed " + strconv.FormatUint(m.Seed, 10)
	if m.Window > 0 {
		title = fmt.Sprintf("%s, window %d", m.Policy, m.Window)
	}
	for _, of := range differing {
		title += ", " + of(m)
	}
	return clean(title)
}

// Important are the measures that people see and that a run knows.
func Important(runs []metric.Metrics) []metric.Measure {
	return slices.DeleteFunc(metric.Measures(), func(m metric.Measure) bool {
		_, shown := importance(m, runs)
		return !shown || !knownOf(m, runs)
	})
}

// importance is the rank of a measure in tables of runs; it is false for a detail. Jobs that did not end as planned
// are in each table of a run that has any, on every screen.
func importance(m metric.Measure, runs []metric.Metrics) (rank int, shown bool) {
	if m.Key == "failed" {
		return 0, anyFailed(runs)
	}
	return m.Rank()
}

func anyFailed(runs []metric.Metrics) bool {
	return slices.ContainsFunc(runs, func(m metric.Metrics) bool { return m.Failed > 0 })
}

func knownOf(m metric.Measure, runs []metric.Metrics) bool {
	return slices.ContainsFunc(runs, func(r metric.Metrics) bool {
		_, known := m.Value(r)
		return known
	})
}

// Definitions is the table of what every metric means.
func Definitions() (Table, error) {
	frame, err := NewFrame(metric.Measures(),
		Word("key", func(m metric.Measure) string { return m.Key }),
		Word("unit", func(m metric.Measure) string { return m.Unit.Symbol() }),
		Word("column", func(m metric.Measure) string { return m.Column }),
		Word("name", func(m metric.Measure) string { return m.Name }),
		Word("papers", func(m metric.Measure) string { return m.Papers }),
		Word("better", func(m metric.Measure) string { return m.Better.String() }),
		Word("definition", func(m metric.Measure) string { return m.Definition }),
		Word("source", func(m metric.Measure) string { return m.Source }))
	if err != nil {
		return Table{}, err
	}
	return New(frame, Words("metrics.json", "key"), Words("Unit", "unit"), Words("CSV", "column"), Words("Name", "name"), Words("In the papers", "papers"),
		Words("Better", "better"), Words("Definition", "definition"), Words("Source", "source"))
}
