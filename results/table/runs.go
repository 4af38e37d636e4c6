package table

import (
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Runs makes the table of runs: one row per element of metrics, in its order. The columns are in the order of the
// papers' tables (AUCSCHED tables 5-8, AUCSCHED2 table 3), in their units: hours and per cent. metric.Measure.Rank
// decides what a narrow screen shows. The clock is there because runs of different clocks do not compare, the window
// where a workload was cut into some.
func Runs(metrics []metric.Metrics) (Table, error) {
	fields := append(identity(),
		Word("clock", func(m metric.Metrics) string { return m.Clock }),
		Number("time_scale", func(m metric.Metrics) float64 { return m.TimeScale }),
		Number("think_scale", func(m metric.Metrics) float64 { return m.ThinkScale }),
		Word(".clock", metric.Metrics.ClockText))
	columns := append(identityColumns(metrics), Column{
		Title: "Clock", Names: []string{"clock", "time_scale", "think_scale"}, Left: true, Identity: true,
		Show: func(r Row) string { return r.Word(".clock") },
	})
	for _, m := range metric.Measures() {
		fields = append(fields, measureFields(m, func(of metric.Metrics) metric.Metrics { return of })...)
		column := measureColumn(m)
		rank, shown := importance(m, metrics)
		column.Rank, column.Detail = rank, !shown
		columns = append(columns, column)
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
		Word("backend", func(m metric.Metrics) string { return m.Form }),
		Word("slurm", func(m metric.Metrics) string { return m.Series }),
		Word("run", func(m metric.Metrics) string { return m.Name }),
	}
}

// identityColumns have the window only where a run is of one, the backend only where it is not the same in all runs, and
// the run only where the other columns do not tell all runs apart, such as those with other events.
func identityColumns(metrics []metric.Metrics) []Column {
	columns := []Column{
		Words("Machine", "machine").AsIdentity(), Words("Workload", "workload").AsIdentity(), Words("Policy", "policy").AsIdentity(),
		{Title: "Seed", Names: []string{"seed"}, Identity: true, Literal: true},
	}
	if slices.ContainsFunc(metrics, func(m metric.Metrics) bool { return m.Backend != metrics[0].Backend }) {
		columns = append(columns, Backend())
	}
	if slices.ContainsFunc(metrics, func(m metric.Metrics) bool { return m.Window > 0 }) {
		columns = append(columns, Column{Title: "Window", Names: []string{"window"}, Identity: true, Literal: true})
	}
	if alike(metrics) {
		columns = append(columns, Words("Run", "run").AsIdentity())
	}
	return columns
}

// alike says that two runs differ in nothing that identifies runs but their names.
func alike(runs []metric.Metrics) bool {
	type key struct {
		machine, workload, policy string
		seed                      uint64
		window                    int
		backend                   trace.Backend
	}
	seen := map[key]string{}
	for _, m := range runs {
		k := key{m.Machine, m.Workload, m.Policy, m.Seed, m.Window, m.Backend}
		if name, twice := seen[k]; twice && name != m.Name {
			return true
		}
		seen[k] = m.Name
	}
	return false
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
			column := measureColumn(m)
			column.Rank = len(metric.Measures())
			if rank, shown := m.Rank(); shown {
				column.Rank = rank
			}
			columns = append(columns, column)
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
