package compare

import (
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// groupRow is one metric of one group.
type groupRow struct {
	group Grouped
	d     MetricDifference
	e     Evidence
}

// needed is how many replicas would show the difference; it is not asked of one that is shown.
func (r groupRow) needed() (n int, asked bool) {
	if r.e.Holm < significance {
		return 0, false
	}
	return r.group.needed(r.d)
}

// GroupTable has one row per group and metric. It says which policies are compared where, the means of both, the
// difference b - a with its Evidence, and how many replicas would show a difference where none is shown. With few it
// has only the metrics of tables for people.
func GroupTable(groups []Grouped, few bool) (table.Table, error) {
	rows := groupRows(groups, few)
	frame, err := groupFrame(rows)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare groups: %w", err)
	}
	columns := newGroupColumns(rows)
	columns.hidden = []table.Column{rangeOf("a", ""), rangeOf("b", "")}
	t, err := table.New(frame, columns.all()...)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare groups: %w", err)
	}
	return t, nil
}

// groupRows are the rows of a table of groups.
func groupRows(groups []Grouped, few bool) (rows []groupRow) {
	important := forPeople()
	for _, g := range groups {
		evidence := g.Evidence()
		for i, d := range g.Differences {
			if !few || important[d.Name] {
				rows = append(rows, groupRow{g, d, evidence[i]})
			}
		}
	}
	return rows
}

// groupFrame has all columns of comparison.csv, which is the same for two policies and for a campaign.
func groupFrame(rows []groupRow) (table.Frame, error) {
	return table.NewFrame(rows,
		table.Word("machine", func(r groupRow) string { return r.group.Machine }),
		table.Word("workload", func(r groupRow) string { return r.group.Name }),
		table.Word("backend", func(r groupRow) string { return r.group.Backend.Form }),
		table.Word("slurm", func(r groupRow) string { return r.group.Backend.Series }),
		table.Word("events", func(r groupRow) string { return r.group.Events }),
		table.Word("policy", func(r groupRow) string { return r.group.Policy }),
		table.Word("compared", func(r groupRow) string { return string(r.group.Of) }),
		table.Word("a", func(r groupRow) string { return r.group.A }),
		table.Word("b", func(r groupRow) string { return r.group.B }),
		table.Word("metric", func(r groupRow) string { return r.d.Name }),
		table.Word(".metric", func(r groupRow) string { return r.d.heading() }),
		table.Number(".scale", func(r groupRow) float64 { return r.d.scale() }),
		table.Number("n", func(r groupRow) float64 { return float64(r.group.pairs()) }),
		table.Number("alone", func(r groupRow) float64 { return float64(r.group.Alone) }),
		table.Word("replica", func(r groupRow) string { return string(r.group.Kind) }),
		table.Number("mean_a", func(r groupRow) float64 { return r.d.A }),
		table.Number("mean_b", func(r groupRow) float64 { return r.d.B }),
		table.Number("difference", func(r groupRow) float64 { return r.d.Mean }),
		table.Number("interval_low", func(r groupRow) float64 { return r.e.Interval.LowEnd() }),
		table.Number("interval_high", func(r groupRow) float64 { return r.e.Interval.HighEnd() }),
		table.Word("interval_by", func(r groupRow) string { return string(r.e.Method) }),
		table.Number("relative", func(r groupRow) float64 { return finite(r.e.Relative.Mean) }),
		table.Number("relative_low", func(r groupRow) float64 { return r.e.Relative.Interval.LowEnd() }),
		table.Number("relative_high", func(r groupRow) float64 { return r.e.Relative.Interval.HighEnd() }),
		table.Number("p", func(r groupRow) float64 { return r.e.P }),
		table.Number("p_holm", func(r groupRow) float64 { return r.e.Holm }),
		table.Number("effect_size", func(r groupRow) float64 { return r.e.Effect }),
		table.Word("better", func(r groupRow) string { return r.d.Better }),
		table.Word("verdict", func(r groupRow) string { return r.e.Verdict }),
		table.Number("replicas_needed", func(r groupRow) float64 {
			if n, asked := r.needed(); asked && n > 0 {
				return float64(n)
			}
			return math.NaN()
		}),
		table.Word("by_margin", func(r groupRow) string { return string(r.e.Standing) }),
		table.Word("family", func(r groupRow) string { return string(r.e.Family) }),
		table.Number("a_min", func(r groupRow) float64 { return r.d.RangeA.Min }),
		table.Number("a_max", func(r groupRow) float64 { return r.d.RangeA.Max }),
		table.Number("b_min", func(r groupRow) float64 { return r.d.RangeB.Min }),
		table.Number("b_max", func(r groupRow) float64 { return r.d.RangeB.Max }))
}

// finite is the value, NaN for an infinite one.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// groupColumns are the columns of comparison.csv in their order, as people see them.
type groupColumns struct {
	machine, workload, backend, a, b            table.Column
	n, meanA, meanB, interval, p, holm, effect  table.Column
	relative, relativeInterval, verdict, needed table.Column
	byMargin                                    table.Column
	// hidden are the last columns: the ranges of both sides.
	hidden []table.Column
}

func newGroupColumns(rows []groupRow) groupColumns {
	return groupColumns{
		machine: table.Words("Machine", "machine").AsIdentity(), workload: table.Words("Workload", "workload").AsIdentity(), backend: table.Backend(),
		a: table.Words("A", "a").AsSymbol(), b: table.Words("B", "b").AsSymbol(),
		n:     table.Numbers("n", "n", 0).Ranked(9),
		meanA: scaled("Mean A", "mean_a").Ranked(2), meanB: scaled("Mean B", "mean_b").Ranked(2),
		interval: intervalColumn(rows),
		p:        table.Numbers("p", "p", 4).Ranked(8), holm: table.Numbers("p (Holm)", "p_holm", 4).Ranked(7),
		effect:   table.Numbers("Effect size", "effect_size", 2).Ranked(6),
		relative: percents("Relative %", "relative").Ranked(10), relativeInterval: percentIntervals("95 % of relative", "relative_low", "relative_high").Ranked(10),
		verdict:  table.Words("Verdict", "verdict").Ranked(1),
		needed:   neededColumn("Seeds for p<5%", rows),
		byMargin: table.Words("By margin", "by_margin").Ranked(4),
	}
}

func (c groupColumns) all() []table.Column {
	return append([]table.Column{
		c.machine, c.workload, c.backend, {Names: []string{"events"}}, {Names: []string{"policy"}}, {Names: []string{"compared"}}, c.a, c.b, metricColumn(),
		c.n, {Names: []string{"alone"}}, {Names: []string{"replica"}},
		c.meanA, c.meanB, scaled("Difference", "difference").Ranked(3), c.interval, {Names: []string{"interval_by"}},
		c.relative, c.relativeInterval, c.p, c.holm, c.effect, {Names: []string{"better"}}, c.verdict, c.needed,
		c.byMargin, {Names: []string{"family"}},
	}, c.hidden...)
}

// intervalColumn has the interval of the difference, or why there is none.
func intervalColumn(rows []groupRow) table.Column {
	column := scaledIntervals("95 % interval", "interval_low", "interval_high").Ranked(5)
	interval := column.Show
	column.Show = func(r table.Row) string {
		switch of := rows[r.Index]; {
		case of.group.pairs() == 1:
			return "n=1, no interval"
		case of.d.constant():
			return "all equal"
		case of.e.Interval == nil:
			return "repetitions, no interval"
		}
		return interval(r)
	}
	return column
}

// neededColumn is named after what more is needed of, for a p below 5 % of the metric alone.
func neededColumn(title string, rows []groupRow) table.Column {
	return table.Column{Title: title, Names: []string{"replicas_needed"}, Rank: 4, Show: func(r table.Row) string {
		if n, asked := rows[r.Index].needed(); asked && n == 0 {
			return fmt.Sprintf(">%d", mostNeeded)
		}
		return table.Fixed(r.Number("replicas_needed"), 0)
	}}
}

// rangeOf is the least and the largest value of a side.
func rangeOf(side, title string) table.Column {
	return scaledIntervals(title, side+"_min", side+"_max").Ranked(5)
}

// percents shows parts in per cent.
func percents(title, name string) table.Column {
	return table.Column{Title: title, Names: []string{name}, Show: func(r table.Row) string { return table.Fixed(100*r.Number(name), 1) }}
}

// percentIntervals shows intervals of parts in per cent.
func percentIntervals(title, low, high string) table.Column {
	return table.Column{Title: title, Names: []string{low, high}, Show: func(r table.Row) string {
		if math.IsNaN(r.Number(low)) {
			return table.Fixed(math.NaN(), 1)
		}
		return fmt.Sprintf("[%s, %s]", table.Fixed(100*r.Number(low), 1), table.Fixed(100*r.Number(high), 1))
	}}
}

// forPeople are the columns of the metrics that tables for people have.
func forPeople() map[string]bool {
	out := map[string]bool{}
	for _, m := range metric.Measures() {
		if _, shown := m.Rank(); shown {
			out[m.Column] = true
		}
	}
	return out
}
