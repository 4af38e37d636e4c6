package table

import (
	"fmt"
	"math"
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
	return slices.Contains(shownKeys(), m.Key) || slices.Contains(special, m.Key) && knownOf(m, runs) ||
		m.Key == "failed" && anyFailed(runs)
}

// anyFailed says whether a run has jobs that did not end as planned, which people are
// then told in each table of it.
func anyFailed(runs []metric.Metrics) bool {
	return slices.ContainsFunc(runs, func(m metric.Metrics) bool { return m.Failed > 0 })
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
// because runs of different clocks do not compare, the window where a workload was cut
// into some.
func Runs(metrics []metric.Metrics) (Table, error) {
	fields := append(identity(),
		Word("clock", func(m metric.Metrics) string { return m.Clock }),
		Number("time_scale", func(m metric.Metrics) float64 { return m.TimeScale }),
		Number("think_scale", func(m metric.Metrics) float64 { return m.ThinkScale }),
		Word(".clock", metric.Metrics.ClockText))
	columns := append(identityColumns(metrics), Column{
		Title: "Clock", Names: []string{"clock", "time_scale", "think_scale"}, Left: true,
		Show: func(r Row) string { return r.Word(".clock") },
	})
	for _, m := range metric.Measures() {
		fields = append(fields, measureFields(m, func(of metric.Metrics) metric.Metrics { return of })...)
		columns = append(columns, measureColumn(m, shown(m, metrics)))
	}
	frame, err := NewFrame(metrics, fields...)
	if err != nil {
		return Table{}, err
	}
	return New(frame, columns...)
}

// identity are the fields that say which run the numbers are of.
func identity() []Field[metric.Metrics] {
	return []Field[metric.Metrics]{
		Word("machine", func(m metric.Metrics) string { return m.Machine }),
		Word("workload", func(m metric.Metrics) string { return m.Workload }),
		Word("policy", func(m metric.Metrics) string { return m.Policy }),
		// A word, because a seed may have more digits than a number holds.
		Word("seed", func(m metric.Metrics) string { return strconv.FormatUint(m.Seed, 10) }),
		Word("window", func(m metric.Metrics) string { return strconv.Itoa(m.Window) }),
	}
}

// identityColumns have the window only where a run is of one.
func identityColumns(metrics []metric.Metrics) []Column {
	columns := []Column{
		Words("Machine", "machine"), Words("Workload", "workload"), Words("Policy", "policy"), {Title: "Seed", Names: []string{"seed"}},
	}
	if slices.ContainsFunc(metrics, func(m metric.Metrics) bool { return m.Window > 0 }) {
		columns = append(columns, Column{Title: "Window", Names: []string{"window"}})
	}
	return columns
}

// Measures makes the table of everything that is known about a few runs: a row
// per measure and a column per run.
func Measures(metrics []metric.Metrics) (Table, error) {
	measures := metric.Measures()
	fields := []Field[metric.Measure]{
		Word("metric", func(of metric.Measure) string { return of.Column }),
		Word(".name", func(of metric.Measure) string { return of.Name }),
		Word("unit", func(of metric.Measure) string { return of.Unit.Heading() }),
	}
	columns := []Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r Row) string { return r.Word(".name") }},
		Words("Unit", "unit"),
	}
	for i, m := range metrics {
		name := fmt.Sprintf("%d: %s, seed %d", i+1, clean(m.Policy), m.Seed)
		if m.Window > 0 {
			name = fmt.Sprintf("%d: %s, window %d", i+1, clean(m.Policy), m.Window)
		}
		second := "." + name
		fields = append(fields,
			Number(name, func(of metric.Measure) float64 { return value(of, m) }),
			Number(second, func(of metric.Measure) float64 { return secondValue(of, m) }))
		columns = append(columns, Column{Title: name, Names: []string{name}, Show: func(r Row) string {
			return measureText(measures[r.Index], r.Number(name), r.Number(second))
		}})
	}
	frame, err := NewFrame(measures, fields...)
	if err != nil {
		return Table{}, err
	}
	return New(frame, columns...)
}

// Groups makes the table of the jobs of each run divided in one way, one of
// metric.GroupBys: a row per run and group.
func Groups(metrics []metric.Metrics, by string) (Table, error) {
	type row struct {
		run   metric.Metrics
		group metric.Group
	}
	var rows []row
	for _, m := range metrics {
		for _, g := range m.Groups {
			rows = append(rows, row{m, g})
		}
	}
	var fields []Field[row]
	for _, field := range identity() {
		fields = append(fields, Word(field.name, func(r row) string { return field.word(r.run) }))
	}
	fields = append(fields,
		Word(".by", func(r row) string { return r.group.By }),
		Word(by, func(r row) string { return r.group.Name }),
		Number("started", func(r row) float64 { return float64(r.group.Started) }),
		Number("jobs", func(r row) float64 { return float64(r.group.Jobs) }),
		Number("run_failed", func(r row) float64 { return float64(r.run.Failed) }))
	columns := append(identityColumns(metrics), Words("Jobs by "+by, by), Column{
		Title: "Started", Names: []string{"started", "jobs"}, Show: func(r Row) string { return outOf(r.Number("started"), r.Number("jobs")) },
	})
	for _, m := range metric.Measures() {
		if m.Std != nil {
			fields = append(fields, measureFields(m, func(r row) metric.Metrics { return metric.Metrics{PerJob: r.group.PerJob} })...)
			columns = append(columns, measureColumn(m, knownOf(m, metrics)))
		}
	}
	failed := Numbers("Failed jobs of the run", "run_failed", 0)
	if !anyFailed(metrics) {
		failed.Title = ""
	}
	columns = append(columns, failed)
	frame, err := NewFrame(rows, fields...)
	if err != nil {
		return Table{}, err
	}
	if frame, err = frame.Where(".by", by); err != nil {
		return Table{}, err
	}
	return New(frame, columns...)
}

// Definitions is the table of what every metric means.
func Definitions() (Table, error) {
	frame, err := NewFrame(metric.Measures(),
		Word("key", func(m metric.Measure) string { return m.Key }),
		Word("unit", func(m metric.Measure) string { return m.Unit.Symbol() }),
		Word("column", func(m metric.Measure) string { return m.Column }),
		Word("name", func(m metric.Measure) string { return m.Name }),
		Word("better", func(m metric.Measure) string { return m.Better.String() }),
		Word("definition", func(m metric.Measure) string { return m.Definition }),
		Word("source", func(m metric.Measure) string { return m.Source }))
	if err != nil {
		return Table{}, err
	}
	return New(frame, Words("metrics.json", "key"), Words("Unit", "unit"), Words("CSV", "column"), Words("Name", "name"),
		Words("Better", "better"), Words("Definition", "definition"), Words("Source", "source"))
}

// value is the measure of a run in the unit of tables, NaN when it is unknown.
func value(m metric.Measure, of metric.Metrics) float64 {
	if v, known := m.Value(of); known {
		return m.Unit.InTable(v)
	}
	return math.NaN()
}

// secondValue is the standard deviation of a mean or the whole of a part, NaN when
// there is none.
func secondValue(m metric.Measure, of metric.Metrics) float64 {
	_, known := m.Value(of)
	switch {
	case !known:
		return math.NaN()
	case m.Of != nil:
		return m.Of(of)
	case m.Std != nil:
		return m.Unit.InTable(m.Std(of))
	default:
		return math.NaN()
	}
}

// secondName is the name in CSV of secondValue, empty for none.
func secondName(m metric.Measure) string {
	switch {
	case m.Of != nil:
		return m.OfColumn
	case m.Std != nil:
		return m.StdColumn()
	default:
		return ""
	}
}

// measureFields are the values of a measure of each thing.
func measureFields[T any](m metric.Measure, metrics func(T) metric.Metrics) []Field[T] {
	fields := []Field[T]{Number(m.Column, func(thing T) float64 { return value(m, metrics(thing)) })}
	if name := secondName(m); name != "" {
		fields = append(fields, Number(name, func(thing T) float64 { return secondValue(m, metrics(thing)) }))
	}
	return fields
}

// measureColumn is the column of a measure, in CSV alone unless it is shown.
func measureColumn(m metric.Measure, shown bool) Column {
	second := secondName(m)
	c := Column{Names: []string{m.Column}, Show: func(r Row) string { return measureText(m, r.Number(m.Column), r.Number(second)) }}
	if shown {
		c.Title = m.Heading()
	}
	if second != "" {
		c.Names = append(c.Names, second)
	}
	return c
}

// measureText is a value with its second one, if the measure has any, for people.
func measureText(m metric.Measure, value, second float64) string {
	switch {
	case m.Of != nil:
		return outOf(value, second)
	case m.Std != nil:
		return meanStd(value, second, m.Unit.Decimals())
	default:
		return Fixed(value, m.Unit.Decimals())
	}
}
