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
	important := forPeople()
	var rows []groupRow
	for _, g := range groups {
		evidence := g.Evidence()
		for i, d := range g.Differences {
			if !few || important[d.Name] {
				rows = append(rows, groupRow{g, d, evidence[i]})
			}
		}
	}
	frame, err := table.NewFrame(rows,
		table.Word("machine", func(r groupRow) string { return r.group.Machine }),
		table.Word("workload", func(r groupRow) string { return r.group.Name }),
		table.Word("backend", func(r groupRow) string { return r.group.Backend.Form }),
		table.Word("slurm", func(r groupRow) string { return r.group.Backend.Series }),
		table.Word("a", func(r groupRow) string { return r.group.A }),
		table.Word("b", func(r groupRow) string { return r.group.B }),
		table.Word("metric", func(r groupRow) string { return r.d.Name }),
		table.Word(".metric", func(r groupRow) string { return r.d.Metric }),
		table.Number("n", func(r groupRow) float64 { return float64(r.group.pairs()) }),
		table.Number("alone", func(r groupRow) float64 { return float64(r.group.Alone) }),
		table.Word("replica", func(r groupRow) string { return string(r.group.Kind) }),
		table.Number("mean_a", func(r groupRow) float64 { return r.d.A }),
		table.Number("mean_b", func(r groupRow) float64 { return r.d.B }),
		table.Number("difference", func(r groupRow) float64 { return r.d.Mean }),
		table.Number("interval_low", func(r groupRow) float64 { return r.e.Interval.LowEnd() }),
		table.Number("interval_high", func(r groupRow) float64 { return r.e.Interval.HighEnd() }),
		table.Word("interval_by", func(r groupRow) string { return string(r.e.Method) }),
		table.Number("p", func(r groupRow) float64 { return r.e.P }),
		table.Number("p_holm", func(r groupRow) float64 { return r.e.Holm }),
		table.Number("effect_size", func(r groupRow) float64 { return r.e.Effect }),
		table.Word("verdict", func(r groupRow) string { return r.e.Verdict }),
		table.Number("replicas_needed", func(r groupRow) float64 {
			if n, asked := r.needed(); asked && n > 0 {
				return float64(n)
			}
			return math.NaN()
		}),
		table.Word("by_margin", func(r groupRow) string { return string(r.e.Standing) }),
		table.Word("family", func(r groupRow) string { return string(r.e.Family) }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare groups: %w", err)
	}
	needed := table.Column{Title: "Seeds for p<5%", Names: []string{"replicas_needed"}, Rank: 4, Show: func(r table.Row) string {
		if n, asked := rows[r.Index].needed(); asked && n == 0 {
			return fmt.Sprintf(">%d", mostNeeded)
		}
		return table.Fixed(r.Number("replicas_needed"), 0)
	}}
	t, err := table.New(frame,
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(), table.Backend(),
		table.Words("A", "a").AsIdentity(), table.Words("B", "b").AsIdentity(), metricColumn(),
		table.Numbers("n", "n", 0).Ranked(9), table.Column{Names: []string{"alone"}}, table.Column{Names: []string{"replica"}},
		table.Numbers("Mean A", "mean_a", decimals).Ranked(2), table.Numbers("Mean B", "mean_b", decimals).Ranked(2),
		table.Numbers("Difference", "difference", decimals).Ranked(3),
		table.Intervals("95 % interval", "interval_low", "interval_high", decimals, "n=1, no interval").Ranked(5),
		table.Column{Names: []string{"interval_by"}}, table.Numbers("p", "p", 4).Ranked(8), table.Numbers("p (Holm)", "p_holm", 4).Ranked(7),
		table.Numbers("Effect size", "effect_size", 2).Ranked(6), table.Words("Verdict", "verdict").Ranked(1), needed,
		table.Words("By margin", "by_margin").Ranked(4), table.Column{Names: []string{"family"}})
	if err != nil {
		return table.Table{}, fmt.Errorf("compare groups: %w", err)
	}
	return t, nil
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
