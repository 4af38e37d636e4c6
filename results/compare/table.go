package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/slurmlab/slurmlab/results/table"
)

// decimals of a shown number. A cycle takes milliseconds; the rest is shown as
// in the table of runs, with one digit more because differences are small.
const decimals = 3

// Table has one row per metric: means of both policies, mean difference b - a,
// its 95 % interval, and a verdict. Where the runs are repetitions the least and the
// largest value of each policy stand in the place of the interval. The columns of the
// means are named after the policies, a's first, in CSV too. CSV also has the number of
// replicas needed, empty where that is unknown or not asked, and what a replica is.
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
			if d.Needed == 0 {
				return math.NaN()
			}
			return float64(d.Needed)
		}),
		table.Word("replica", func(MetricDifference) string { return string(c.Kind) }),
		table.Number("a_min", func(d MetricDifference) float64 { return d.RangeA.Min }),
		table.Number("a_max", func(d MetricDifference) float64 { return d.RangeA.Max }),
		table.Number("b_min", func(d MetricDifference) float64 { return d.RangeB.Min }),
		table.Number("b_max", func(d MetricDifference) float64 { return d.RangeB.Max }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	interval := table.Intervals("95 % interval", "interval_low", "interval_high", decimals, "n=1, no interval")
	ofA, ofB := table.Numbers(c.A, c.A, decimals), table.Numbers(c.B, c.B, decimals)
	if c.Kind == Repetitions {
		interval.Title = ""
		ofA.Show, ofB.Show = withRange(c.A, "a_min", "a_max"), withRange(c.B, "b_min", "b_max")
	}
	t, err := table.New(frame,
		metricColumn(), table.Numbers("n", "n", 0), ofA, ofB, table.Numbers("Difference", "difference", decimals), interval,
		table.Column{Names: []string{"better", "sure"}}, table.Words("Verdict", "verdict"),
		table.Column{Names: []string{"replicas_needed", "replica", "a_min", "a_max", "b_min", "b_max"}})
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	return t, nil
}

// withRange shows a mean with the least and the largest value: "6.5 [6.1, 7.0]".
func withRange(mean, low, high string) func(table.Row) string {
	return func(r table.Row) string {
		number := func(name string) string { return table.Fixed(r.Number(name), decimals) }
		return fmt.Sprintf("%s [%s, %s]", number(mean), number(low), number(high))
	}
}

// metricColumn has the name of a metric in CSV, its heading for people.
func metricColumn() table.Column {
	return table.Column{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r table.Row) string { return r.Word(".metric") }}
}
