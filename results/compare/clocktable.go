package compare

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
)

// MetricTable has one row per metric: mean, deviation and variation of both
// sets, their difference with its interval, and whether it tells the clocks
// apart.
func (c ClockComparison) MetricTable() (table.Table, error) {
	frame, err := table.NewFrame(c.Differences,
		table.Word("metric", func(d ClockDifference) string { return d.Name }),
		table.Word(".metric", func(d ClockDifference) string { return d.Metric }),
		table.Number("a_n", func(d ClockDifference) float64 { return float64(d.A.N) }),
		table.Number("a_mean", func(d ClockDifference) float64 { return d.A.Mean }),
		table.Number("a_std", func(d ClockDifference) float64 { return d.A.Std }),
		table.Number("b_n", func(d ClockDifference) float64 { return float64(d.B.N) }),
		table.Number("b_mean", func(d ClockDifference) float64 { return d.B.Mean }),
		table.Number("b_std", func(d ClockDifference) float64 { return d.B.Std }),
		table.Number("difference", func(d ClockDifference) float64 { return d.Mean }),
		table.Number("interval_low", func(d ClockDifference) float64 { return d.Interval.Low }),
		table.Number("interval_high", func(d ClockDifference) float64 { return d.Interval.High }),
		table.Number("a_cv_percent", func(d ClockDifference) float64 { return variation(d.A) }),
		table.Number("b_cv_percent", func(d ClockDifference) float64 { return variation(d.B) }),
		table.Number("p", func(d ClockDifference) float64 { return d.P }),
		table.Number("p_holm", func(d ClockDifference) float64 { return d.Holm }),
		table.Word("distinguishable", func(d ClockDifference) string { return strconv.FormatBool(d.Distinguishable) }))
	if err != nil {
		return table.Table{}, err
	}
	set := func(title, name string) table.Column {
		column := table.MeanStds(title, name+"_mean", name+"_std", decimals)
		column.Names = append([]string{name + "_n"}, column.Names...)
		return column
	}
	return table.New(frame,
		metricColumn(), set(c.nameA(), "a"), set(c.nameB(), "b"), table.Numbers("Difference", "difference", decimals),
		table.Intervals("95 % interval", "interval_low", "interval_high", decimals, ""),
		table.Column{Title: "In % of A", Show: relative},
		table.Column{Title: "Variation % A / B", Names: []string{"a_cv_percent", "b_cv_percent"}, Show: func(r table.Row) string {
			return table.Fixed(r.Number("a_cv_percent"), 2) + " / " + table.Fixed(r.Number("b_cv_percent"), 2)
		}},
		probabilities("p", "p"), probabilities("p (Holm)", "p_holm"),
		table.Column{Title: "Distinguishable", Names: []string{"distinguishable"}, Left: true, Show: func(r table.Row) string {
			return c.Differences[r.Index].verdict()
		}})
}

// verdict is the word of MetricTable.
func (d ClockDifference) verdict() string {
	switch {
	case d.Distinguishable:
		return "yes"
	case d.constant():
		return "always equal"
	default:
		return "no"
	}
}

// StartTable has one row per way to compare the starts of jobs.
func (c ClockComparison) StartTable() (table.Table, error) {
	return startTable([]startRow{
		{"two runs of " + c.nameA(), "within_a", c.A.Pairs},
		{"two runs of " + c.nameB(), "within_b", c.B.Pairs},
		{"a run of A and a run of B", "pairs", c.Starts.Pairs},
		{"mean of A and mean of B", "means", c.Starts.Means},
	})
}

// Table has one row per metric: mean, deviation and coefficient of variation.
func (r Repeatability) Table() (table.Table, error) {
	frame, err := table.NewFrame(r.Metrics,
		table.Word("metric", func(v Variation) string { return v.Name }),
		table.Word(".metric", func(v Variation) string { return v.Metric }),
		table.Number("mean", func(v Variation) float64 { return v.Sample.Mean }),
		table.Number("std", func(v Variation) float64 { return v.Sample.Std }),
		table.Number("cv_percent", func(v Variation) float64 { return variation(v.Sample) }))
	if err != nil {
		return table.Table{}, err
	}
	return table.New(frame,
		metricColumn(), table.Numbers("Mean", "mean", decimals), table.Numbers("Standard deviation", "std", decimals),
		table.Numbers("Variation %", "cv_percent", 2))
}

// WriteMarkdown writes the comparison for people: the answer, the tables it
// rests on, and how repeatable each clock is.
func (c ClockComparison) WriteMarkdown(w io.Writer) error {
	d := document{w: w}
	d.text("## %s against %s", c.A.Clock, c.B.Clock)
	d.text("Policy %s, workload %s on machine %s: %d runs under clock %s (A), %d under clock %s (B).",
		c.Policy, c.Workload, c.Machine, c.A.Runs, c.A.Clock, c.B.Runs, c.B.Clock)
	d.text("%s", c.verdict())
	d.table(c.MetricTable())
	d.text("Means ± standard deviations over the runs. Difference is B - A; the interval says how large a difference these " +
		"runs cannot exclude. Variation is the standard deviation of a set in per cent of its mean. p is that of Welch's " +
		"test, adjusted by Holm for the number of metrics that are not always equal; metrics with the same values in all runs count once.")
	d.text("### Starts of the jobs")
	d.table(c.StartTable())
	d.text("Virtual seconds between the starts of the same job, over %s%s. Without an effect of the clock, a run of A and a "+
		"run of B are as far apart as two runs of one clock. Dealt into two sets at random, the runs have means at "+
		"least as far apart with probability %s.", text.Plural(c.A.Jobs, "job"), c.A.leftOutText(), probability(c.Starts.P))
	d.text("### Repeatability")
	d.text("%s", c.A.startText(c.nameA()))
	d.text("%s", c.B.startText(c.nameB()))
	return d.err
}

// WriteMarkdown writes the figures of one set for people.
func (r Repeatability) WriteMarkdown(w io.Writer) error {
	d := document{w: w}
	d.text("## Repeatability")
	d.text("%s", r.startText("Clock "+r.Clock))
	d.table(r.Table())
	return d.err
}

// startText says how alike the schedules of a set are.
func (r Repeatability) startText(name string) string {
	text := fmt.Sprintf("%s, %d runs of %s", name, r.Runs, text.Plural(r.Jobs, "job")+r.leftOutText())
	for _, v := range r.Metrics {
		if v.Name == speedMeasure().Column {
			text += fmt.Sprintf(", %s virtual seconds per real second", table.Fixed(v.Sample.Mean, 1))
		}
	}
	return text + fmt.Sprintf(". Jobs that start in the same second in all runs: %d; within %d s: %d. First jobs in the same order: %d. "+
		"Starts in two runs differ by %g s (median), %g s (95th percentile), %g s (largest).",
		r.EqualStarts, closeStarts, r.CloseStarts, r.SameOrder, r.Pairs.Median, r.Pairs.P95, r.Pairs.Max)
}

func (c ClockComparison) verdict() string {
	tested := 0
	for _, d := range c.Differences {
		if !d.constant() {
			tested++
		}
	}
	found := c.Distinguishable()
	if len(found) == 0 {
		return fmt.Sprintf("None of %d metrics tells the clocks apart at 5 %%.", tested)
	}
	return fmt.Sprintf("Metrics that tell the clocks apart at 5 %%, %d of %d: %s.", len(found), tested, strings.Join(found, ", "))
}

func (c ClockComparison) nameA() string { return "A (" + c.A.Clock + ")" }
func (c ClockComparison) nameB() string { return "B (" + c.B.Clock + ")" }

func (r Repeatability) leftOutText() string {
	if r.LeftOut == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more did not start in every run)", r.LeftOut)
}

type startRow struct {
	title, name  string
	distribution Distribution
}

func startTable(list []startRow) (table.Table, error) {
	frame, err := table.NewFrame(list,
		table.Word("between", func(r startRow) string { return r.name }),
		table.Word(".title", func(r startRow) string { return r.title }),
		table.Number("median_s", func(r startRow) float64 { return r.distribution.Median }),
		table.Number("p95_s", func(r startRow) float64 { return r.distribution.P95 }),
		table.Number("max_s", func(r startRow) float64 { return r.distribution.Max }))
	if err != nil {
		return table.Table{}, err
	}
	return table.New(frame,
		table.Column{
			Title: "Difference of starts between", Names: []string{"between"}, Left: true,
			Show: func(r table.Row) string { return r.Word(".title") },
		},
		table.Numbers("Median s", "median_s", 1), table.Numbers("95th percentile s", "p95_s", 1), table.Numbers("Largest s", "max_s", 1))
}

// relative is the interval in per cent of A's mean.
func relative(r table.Row) string {
	mean := r.Number("a_mean")
	if mean == 0 {
		return table.Fixed(math.NaN(), 1)
	}
	percent := func(name string) string { return table.Fixed(100*r.Number(name)/mean, 1) }
	return fmt.Sprintf("[%s, %s]", percent("interval_low"), percent("interval_high"))
}

// variation is the coefficient of variation in per cent, NaN when it does not
// exist.
func variation(s Sample) float64 {
	cv, known := s.CV()
	if !known {
		return math.NaN()
	}
	return 100 * cv
}

func probabilities(title, name string) table.Column {
	return table.Column{Title: title, Names: []string{name}, Show: func(r table.Row) string { return probability(r.Number(name)) }}
}

// probability never shows a small one as 0.
func probability(p float64) string {
	if p < 0.0005 {
		return "<0.001"
	}
	return table.Fixed(p, 3)
}

// document writes blocks of Markdown, keeping the first error.
type document struct {
	w   io.Writer
	err error
}

func (d *document) text(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format+"\n\n", args...)
	}
}

func (d *document) table(t table.Table, err error) {
	if d.err == nil {
		d.err = err
	}
	if d.err == nil {
		d.err = t.Document().WriteMarkdown(d.w)
	}
	if d.err == nil {
		_, d.err = fmt.Fprintln(d.w)
	}
}
