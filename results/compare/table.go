package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/results/table"
)

// shown is the heading of the metric for people, with the unit for the larger mean, and what its values are multiplied by. CSV
// and JSON keep the unit in the metric's name.
func (d MetricDifference) shown() (heading string, scale float64) {
	shown := d.measure.Unit.Shown(max(math.Abs(d.A), math.Abs(d.B)))
	return strings.TrimSpace(d.measure.Name + " " + shown.Heading), shown.Scale
}

func (d MetricDifference) heading() string {
	heading, _ := d.shown()
	return heading
}

func (d MetricDifference) scale() float64 {
	_, scale := d.shown()
	return scale
}

// scaled is a column of values of the rows' metrics.
func scaled(title, name string) table.Column {
	return table.Column{Title: title, Names: []string{name}, Show: func(r table.Row) string { return table.Fixed(r.Number(name)*r.Number(".scale"), decimals) }}
}

// scaledIntervals is a column of intervals of such values.
func scaledIntervals(title, low, high string) table.Column {
	return table.Column{Title: title, Names: []string{low, high}, Show: func(r table.Row) string {
		if math.IsNaN(r.Number(low)) {
			return ""
		}
		scale := r.Number(".scale")
		return fmt.Sprintf("[%s, %s]", table.Fixed(r.Number(low)*scale, decimals), table.Fixed(r.Number(high)*scale, decimals))
	}}
}

// decimals of a shown number. A cycle takes milliseconds; the rest is shown as
// in the table of runs, with one digit more because differences are small.
const decimals = 3

// Table is GroupTable of the comparison alone, as people read it: the means have the names of the sides. Where the runs
// are repetitions the least and the largest value of each side stand in the place of the interval. CSV is as in
// GroupTable. With few it has only the metrics of tables for people.
func (c Comparison) Table(few bool) (table.Table, error) {
	rows := groupRows([]Grouped{{Name: c.Workload, Comparison: c}}, few)
	frame, err := groupFrame(rows)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	columns := newGroupColumns(rows)
	without := func(hidden ...*table.Column) {
		for _, column := range hidden {
			column.Title = ""
		}
	}
	// The caption and the headings say where and what is compared.
	without(&columns.machine, &columns.workload, &columns.backend, &columns.a, &columns.b)
	columns.meanA.Title, columns.meanB.Title = c.A, c.B
	columns.n, columns.effect = columns.n.Ranked(6), columns.effect.Ranked(10)
	columns.needed.Title = strings.ToUpper(string(c.Kind[:1])) + string(c.Kind[1:]) + "s for p<5%"
	rangeA, rangeB := rangeOf("a", "Range of "+c.A), rangeOf("b", "Range of "+c.B)
	if c.Kind == Repetitions {
		without(&columns.interval)
	} else {
		without(&rangeA, &rangeB)
	}
	if tests(c.Differences, c.Evidence()).Rule() == "" {
		without(&columns.p, &columns.holm, &columns.effect, &columns.relative, &columns.relativeInterval, &columns.byMargin)
	}
	if c.pairs() == 1 {
		// The summary says once that one pair has none.
		without(&columns.interval, &columns.verdict, &columns.n)
	}
	columns.hidden = []table.Column{rangeA, rangeB}
	t, err := table.New(frame, columns.all()...)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	return t, nil
}

// metricColumn has the name of a metric in CSV, its heading for people.
func metricColumn() table.Column {
	return table.Column{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r table.Row) string { return r.Word(".metric") }}
}
