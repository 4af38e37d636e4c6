package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/results/table"
)

// decimals of a shown number. A cycle takes milliseconds; the rest is shown as
// in the table of runs, with one digit more because differences are small.
const decimals = 3

// Table has one row per metric: means of both sides, mean difference b - a,
// its 95 % interval, a verdict, and how many replicas would show a difference where none is shown.
// Where the runs are repetitions the least and the largest value of each side stand in
// the place of the interval. The columns of the means are named after the sides, a's
// first, in CSV too. CSV also has what a replica is.
func (c Comparison) Table() (table.Table, error) {
	frame, err := table.NewFrame(c.Differences,
		table.Word("metric", func(d MetricDifference) string { return d.Name }),
		table.Word(".metric", func(d MetricDifference) string { return d.Metric }),
		table.Number("n", func(MetricDifference) float64 { return float64(c.pairs()) }),
		table.Number(c.A, func(d MetricDifference) float64 { return d.A }),
		table.Number(c.B, func(d MetricDifference) float64 { return d.B }),
		table.Number("difference", func(d MetricDifference) float64 { return d.Mean }),
		table.Number("interval_low", func(d MetricDifference) float64 { return d.Interval.LowEnd() }),
		table.Number("interval_high", func(d MetricDifference) float64 { return d.Interval.HighEnd() }),
		table.Word("better", func(d MetricDifference) string { return d.Better }),
		table.Word("sure", func(d MetricDifference) string { return strconv.FormatBool(d.Sure) }),
		table.Word("verdict", c.verdict),
		table.Number("replicas_needed", func(d MetricDifference) float64 {
			if n, asked := c.needed(d); asked && n > 0 {
				return float64(n)
			}
			return math.NaN()
		}),
		table.Word("replica", func(MetricDifference) string { return string(c.Kind) }),
		table.Number("a_min", func(d MetricDifference) float64 { return d.RangeA.Min }),
		table.Number("a_max", func(d MetricDifference) float64 { return d.RangeA.Max }),
		table.Number("b_min", func(d MetricDifference) float64 { return d.RangeB.Min }),
		table.Number("b_max", func(d MetricDifference) float64 { return d.RangeB.Max }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	interval := table.Intervals("95 % interval", "interval_low", "interval_high", decimals, "n=1, no interval").Ranked(5)
	rangeA := table.Intervals("Range of "+c.A, "a_min", "a_max", decimals, "").Ranked(5)
	rangeB := table.Intervals("Range of "+c.B, "b_min", "b_max", decimals, "").Ranked(5)
	if c.Kind == Repetitions {
		interval.Title = ""
	} else {
		rangeA.Title, rangeB.Title = "", ""
	}
	t, err := table.New(frame,
		metricColumn(), table.Numbers("n", "n", 0).Ranked(6),
		table.Numbers(c.A, c.A, decimals).Ranked(1), table.Numbers(c.B, c.B, decimals).Ranked(1),
		table.Numbers("Difference", "difference", decimals).Ranked(3), interval,
		table.Column{Names: []string{"better"}}, table.Column{Names: []string{"sure"}, Literal: true},
		table.Words("Verdict", "verdict").Ranked(2), c.neededColumn(), table.Column{Names: []string{"replica"}}, rangeA, rangeB)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	return t, nil
}

// neededColumn is named after what more is needed of.
func (c Comparison) neededColumn() table.Column {
	return table.Column{
		Title: strings.ToUpper(string(c.Kind[:1])) + string(c.Kind[1:]) + "s needed", Names: []string{"replicas_needed"}, Rank: 4,
		Show: func(r table.Row) string {
			if n, asked := c.needed(c.Differences[r.Index]); asked && n == 0 {
				return fmt.Sprintf(">%d", mostNeeded)
			}
			return table.Fixed(r.Number("replicas_needed"), 0)
		},
	}
}

// metricColumn has the name of a metric in CSV, its heading for people.
func metricColumn() table.Column {
	return table.Column{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r table.Row) string { return r.Word(".metric") }}
}
