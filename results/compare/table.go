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

// judged is a metric with what is shown of it.
type judged struct {
	MetricDifference
	Evidence
}

// Table has one row per metric: means of both sides, mean difference b - a,
// its 95 % interval, a verdict, and how many replicas would show a difference where none is shown.
// Where the runs are repetitions the least and the largest value of each side stand in
// the place of the interval. The columns of the means are named after the sides, a's
// first, in CSV too. CSV also has what a replica is. With few it has only the metrics of tables for people.
func (c Comparison) Table(few bool) (table.Table, error) {
	evidence := c.Evidence()
	important := forPeople()
	var rows []judged
	for i, d := range c.Differences {
		if !few || important[d.Name] {
			rows = append(rows, judged{d, evidence[i]})
		}
	}
	frame, err := table.NewFrame(rows,
		table.Word("metric", func(d judged) string { return d.Name }),
		table.Word(".metric", func(d judged) string { return d.Metric }),
		table.Number("n", func(judged) float64 { return float64(c.pairs()) }),
		table.Number(c.A, func(d judged) float64 { return d.A }),
		table.Number(c.B, func(d judged) float64 { return d.B }),
		table.Number("difference", func(d judged) float64 { return d.Mean }),
		table.Number("interval_low", func(d judged) float64 { return d.MetricDifference.Interval.LowEnd() }),
		table.Number("interval_high", func(d judged) float64 { return d.MetricDifference.Interval.HighEnd() }),
		table.Word("better", func(d judged) string { return d.Better }),
		table.Word("sure", func(d judged) string { return strconv.FormatBool(d.Sure) }),
		table.Word("verdict", func(d judged) string { return d.Verdict }),
		table.Number("replicas_needed", func(d judged) float64 {
			if n, asked := c.needed(d.MetricDifference); asked && n > 0 {
				return float64(n)
			}
			return math.NaN()
		}),
		table.Word("replica", func(judged) string { return string(c.Kind) }),
		table.Number("a_min", func(d judged) float64 { return d.RangeA.Min }),
		table.Number("a_max", func(d judged) float64 { return d.RangeA.Max }),
		table.Number("b_min", func(d judged) float64 { return d.RangeB.Min }),
		table.Number("b_max", func(d judged) float64 { return d.RangeB.Max }),
		table.Number("p", func(d judged) float64 { return d.P }),
		table.Number("p_holm", func(d judged) float64 { return d.Holm }),
		table.Word("by_margin", func(d judged) string { return string(d.Standing) }),
		table.Word("family", func(d judged) string { return string(d.Family) }))
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
	p, holm, byMargin := table.Numbers("p", "p", 4).Ranked(8), table.Numbers("p (Holm)", "p_holm", 4).Ranked(7), table.Words("By margin", "by_margin").Ranked(4)
	if tests(c.Differences, evidence).Rule() == "" {
		p.Title, holm.Title, byMargin.Title = "", "", ""
	}
	verdict, n := table.Words("Verdict", "verdict").Ranked(1), table.Numbers("n", "n", 0).Ranked(6)
	if c.pairs() == 1 {
		// The summary says once that one pair has none.
		interval.Title, verdict.Title, n.Title = "", "", ""
	}
	t, err := table.New(frame,
		metricColumn(), n,
		table.Numbers(c.A, c.A, decimals).Ranked(2), table.Numbers(c.B, c.B, decimals).Ranked(2),
		table.Numbers("Difference", "difference", decimals).Ranked(3), interval,
		table.Column{Names: []string{"better"}}, table.Column{Names: []string{"sure"}, Literal: true},
		verdict, c.neededColumn(rows), table.Column{Names: []string{"replica"}}, rangeA, rangeB, p, holm, byMargin, table.Column{Names: []string{"family"}})
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	return t, nil
}

// neededColumn is named after what more is needed of, for a p below 5 % of the metric alone.
func (c Comparison) neededColumn(rows []judged) table.Column {
	return table.Column{
		Title: strings.ToUpper(string(c.Kind[:1])) + string(c.Kind[1:]) + "s for p<5%", Names: []string{"replicas_needed"}, Rank: 4,
		Show: func(r table.Row) string {
			if n, asked := c.needed(rows[r.Index].MetricDifference); asked && n == 0 {
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
