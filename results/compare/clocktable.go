package compare

import (
	"fmt"
	"io"
	"strings"

	"github.com/slurmlab/slurmlab/results/table"
)

// MetricTable has one row per metric: mean, deviation and variation of both
// sets, their difference with its interval, and whether it tells the clocks
// apart.
func (c ClockComparison) MetricTable() (table.Table, error) {
	columns := []table.Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: c.nameA(), Names: []string{"a_n", "a_mean", "a_std"}},
		{Title: c.nameB(), Names: []string{"b_n", "b_mean", "b_std"}},
		{Title: "Difference", Names: []string{"difference"}},
		{Title: "95 % interval", Names: []string{"interval_low", "interval_high"}},
		{Title: "In % of A"},
		{Title: "Variation % A / B", Names: []string{"a_cv_percent", "b_cv_percent"}},
		{Title: "p", Names: []string{"p"}},
		{Title: "p (Holm)", Names: []string{"p_holm"}},
		{Title: "Distinguishable", Names: []string{"distinguishable"}, Left: true},
	}
	var rows [][]table.Cell
	for _, d := range c.Differences {
		verdict := table.Text("no")
		switch {
		case d.Distinguishable:
			verdict.Shown = "yes"
		case d.constant():
			verdict.Shown = "always equal"
		}
		verdict.Values = []string{fmt.Sprint(d.Distinguishable)}
		rows = append(rows, []table.Cell{
			{Shown: d.Metric, Values: []string{d.Name}},
			sampleCell(d.A), sampleCell(d.B), table.Number(d.Mean, decimals), interval(&d.Interval),
			relative(d), variations(d.A, d.B), probability(d.P), probability(d.Holm), verdict,
		})
	}
	return table.New(columns, rows)
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
	columns := []table.Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: "Mean", Names: []string{"mean"}},
		{Title: "Standard deviation", Names: []string{"std"}},
		{Title: "Variation %", Names: []string{"cv_percent"}},
	}
	var rows [][]table.Cell
	for _, v := range r.Metrics {
		rows = append(rows, []table.Cell{
			{Shown: v.Metric, Values: []string{v.Name}},
			table.Number(v.Sample.Mean, decimals), table.Number(v.Sample.Std, decimals), variation(v.Sample),
		})
	}
	return table.New(columns, rows)
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
		"test, adjusted by Holm for the number of metrics that are not always equal.")
	d.text("### Starts of the jobs")
	d.table(c.StartTable())
	d.text("Virtual seconds between the starts of the same job, over %s%s. Without an effect of the clock, a run of A and a "+
		"run of B are as far apart as two runs of one clock. Dealt into two sets at random, the runs have means at "+
		"least as far apart with probability %s.", jobCount(c.A.Jobs), c.A.leftOutText(), probability(c.Starts.P).Shown)
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
	text := fmt.Sprintf("%s, %d runs of %s", name, r.Runs, jobCount(r.Jobs)+r.leftOutText())
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

func jobCount(n int) string {
	if n == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", n)
}

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
	columns := []table.Column{
		{Title: "Difference of starts between", Names: []string{"between"}, Left: true},
		{Title: "Median s", Names: []string{"median_s"}},
		{Title: "95th percentile s", Names: []string{"p95_s"}},
		{Title: "Largest s", Names: []string{"max_s"}},
	}
	var rows [][]table.Cell
	for _, r := range list {
		d := r.distribution
		rows = append(rows, []table.Cell{
			{Shown: r.title, Values: []string{r.name}}, table.Number(d.Median, 1), table.Number(d.P95, 1), table.Number(d.Max, 1),
		})
	}
	return table.New(columns, rows)
}

func sampleCell(s Sample) table.Cell {
	c := table.MeanStd(s.Mean, s.Std, decimals)
	c.Values = append([]string{fmt.Sprint(s.N)}, c.Values...)
	return c
}

// relative is the interval in per cent of A's mean.
func relative(d ClockDifference) table.Cell {
	if d.A.Mean == 0 {
		return table.Unknown(0)
	}
	percent := func(v float64) string { return table.Fixed(100*v/d.A.Mean, 1) }
	return table.Cell{Shown: fmt.Sprintf("[%s, %s]", percent(d.Interval.Low), percent(d.Interval.High))}
}

// variation is the coefficient of variation in per cent.
func variation(s Sample) table.Cell {
	cv, known := s.CV()
	if !known {
		return table.Unknown(1)
	}
	return table.Number(100*cv, 2)
}

func variations(a, b Sample) table.Cell {
	x, y := variation(a), variation(b)
	return table.Cell{Shown: x.Shown + " / " + y.Shown, Values: []string{x.Values[0], y.Values[0]}}
}

// probability never shows a small one as 0.
func probability(p float64) table.Cell {
	c := table.Number(p, 3)
	if p < 0.0005 {
		c.Shown = "<0.001"
	}
	return c
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
		d.err = t.WriteMarkdown(d.w)
	}
	if d.err == nil {
		_, d.err = fmt.Fprintln(d.w)
	}
}
