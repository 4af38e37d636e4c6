package table

import (
	"github.com/slurmlab/slurmlab/results/metric"
)

// Long is the frame of runs to compute with. It has a row for each run and measure, with the columns machine,
// workload, policy, seed, window (0 for none), measure (its name in CSV) and value (in the unit of tables).
func Long(runs []metric.Result, measures []metric.Measure) (Frame, error) {
	type row struct {
		run     metric.Result
		measure metric.Measure
	}
	var rows []row
	for _, run := range runs {
		for _, m := range measures {
			rows = append(rows, row{run, m})
		}
	}
	var fields []Field[row]
	for _, field := range identity() {
		fields = append(fields, Word(field.name, func(r row) string { return field.word(*r.run.Metrics) }))
	}
	return NewFrame(rows, append(fields,
		Word("measure", func(r row) string { return r.measure.Column }),
		Number("value", func(r row) float64 { return value(r.measure, *r.run.Metrics) }))...)
}
