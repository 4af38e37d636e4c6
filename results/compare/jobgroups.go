package compare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// JobGroup compares one metric over the jobs of a group.
type JobGroup struct {
	// Name is what the jobs have in common, Jobs how many there are in each run.
	Name string
	Jobs int
	MetricDifference
}

// ByGroup divides the jobs of both sides, which Compare has taken, in one of the ways of metric.GroupBys. It compares
// the means over the jobs of each group in the pairs in which jobs of both sides started. A group without such a pair
// has no rows. One whose jobs are not in all pairs has the pairs that have them.
func (c Comparison) ByGroup(a, b []metric.Result, by string) ([]JobGroup, error) {
	if one, other := a[0].Run.Machine, b[0].Run.Machine; by == "size" && one.AllCores() != other.AllCores() {
		return nil, fmt.Errorf("compare jobs by size: a size is a part of the machine, and %s has %d cores, %s %d; take another division", c.A, one.AllCores(), c.B, other.AllCores())
	}
	a, b = inOrder(a), inOrder(b)
	var names []string
	for _, g := range a[0].Metrics.Groups {
		if g.By == by {
			names = append(names, g.Name)
		}
	}
	for _, r := range slices.Concat(a, b) {
		for _, g := range r.Metrics.Groups {
			if g.By == by && !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	var rows []JobGroup
	for _, name := range names {
		rows = append(rows, c.groupRows(a, b, by, name)...)
	}
	if len(rows) == 0 {
		return nil, errors.New("compare jobs by " + by + ": no group has jobs that started on both sides")
	}
	return rows, nil
}

func (c Comparison) groupRows(a, b []metric.Result, by, name string) []JobGroup {
	var rows []JobGroup
	for _, m := range measures(a[0].Run.Machine) {
		if m.Std == nil {
			continue
		}
		var left, right []float64
		jobs := 0
		for i := range a {
			one, two := groupOf(a[i], by, name), groupOf(b[i], by, name)
			if one.Started == 0 || two.Started == 0 {
				continue
			}
			x, known := m.Value(metric.Metrics{PerJob: one.PerJob})
			y, also := m.Value(metric.Metrics{PerJob: two.PerJob})
			if known && also {
				left, right, jobs = append(left, m.Unit.InTable(x)), append(right, m.Unit.InTable(y)), one.Jobs
			}
		}
		if len(left) > 0 {
			rows = append(rows, JobGroup{name, jobs, c.difference(m, left, right)})
		}
	}
	return rows
}

// groupOf is the group of that name of a run, without jobs where there is none.
func groupOf(r metric.Result, by, name string) metric.Group {
	for _, g := range r.Metrics.Groups {
		if g.By == by && g.Name == name {
			return g
		}
	}
	return metric.Group{}
}

// judgedGroup is a metric of a group with what is shown of it when all rows are counted.
type judgedGroup struct {
	JobGroup
	e Evidence
}

// judge weighs the rows together.
func (c Comparison) judge(rows []JobGroup) []judgedGroup {
	var differences []MetricDifference
	for _, g := range rows {
		differences = append(differences, g.MetricDifference)
	}
	var all []judgedGroup
	for i, e := range c.weighAll(differences) {
		all = append(all, judgedGroup{rows[i], e})
	}
	return all
}

// JobGroupTable has a row for each group and metric, with the columns of Table. Holm's correction is for all rows of main metrics, and apart for those
// of details.
func (c Comparison) JobGroupTable(rows []JobGroup, by string) (table.Table, error) {
	frame, err := table.NewFrame(c.judge(rows),
		table.Word(by, func(g judgedGroup) string { return g.Name }),
		table.Number("jobs", func(g judgedGroup) float64 { return float64(g.Jobs) }),
		table.Word("metric", func(g judgedGroup) string { return g.MetricDifference.Name }),
		table.Word(".metric", func(g judgedGroup) string { return g.heading() }),
		table.Number(".scale", func(g judgedGroup) float64 { return g.scale() }),
		table.Number("n", func(g judgedGroup) float64 { return float64(len(g.pairs)) }),
		table.Number(c.A, func(g judgedGroup) float64 { return g.A }),
		table.Number(c.B, func(g judgedGroup) float64 { return g.B }),
		table.Number("difference", func(g judgedGroup) float64 { return g.Mean }),
		table.Number("interval_low", func(g judgedGroup) float64 { return g.Interval.LowEnd() }),
		table.Number("interval_high", func(g judgedGroup) float64 { return g.Interval.HighEnd() }),
		table.Word("better", func(g judgedGroup) string { return g.Better }),
		table.Word("sure", func(g judgedGroup) string { return strconv.FormatBool(g.Sure) }),
		table.Number("p", func(g judgedGroup) float64 { return g.e.P }),
		table.Number("p_holm", func(g judgedGroup) float64 { return g.e.Holm }),
		table.Word("verdict", func(g judgedGroup) string { return g.e.Verdict }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare jobs by %s: %w", by, err)
	}
	// The interval decides, so that no narrow screen hides it.
	interval, verdict := scaledIntervals("95 % interval", "interval_low", "interval_high").Ranked(1), table.Words("Verdict", "verdict").Ranked(2)
	if c.pairs() == 1 {
		verdict.Title = ""
	}
	t, err := table.New(frame,
		table.Words("Jobs by "+by, by).AsIdentity(), table.Numbers("Jobs", "jobs", 0).Ranked(4), metricColumn(),
		table.Numbers("n", "n", 0).Ranked(6), scaled(c.A, c.A).Ranked(3), scaled(c.B, c.B).Ranked(3),
		scaled("Difference", "difference").Ranked(1), interval,
		table.Column{Names: []string{"better"}}, table.Column{Names: []string{"sure"}, Literal: true},
		table.Numbers("p", "p", 4).Ranked(8), table.Numbers("p (Holm)", "p_holm", 4).Ranked(7), verdict)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare jobs by %s: %w", by, err)
	}
	return t, nil
}

// PairGroups are the groups of the jobs of a pair of policies.
type PairGroups struct {
	Comparison
	Rows []JobGroup
}

// pairGroup is a row of a pair.
type pairGroup struct {
	judgedGroup
	a, b string
}

// PairGroupTable has a row for each group, pair of policies and metric. Holm's correction is for the rows of a pair, as in JobGroupTable.
func PairGroupTable(pairs []PairGroups, by string) (table.Table, error) {
	var rows []pairGroup
	var names []string
	for _, p := range pairs {
		for _, g := range p.judge(p.Rows) {
			rows = append(rows, pairGroup{g, p.A, p.B})
			if !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	// The rows of a group stand together, whatever pair they are of.
	slices.SortStableFunc(rows, func(x, y pairGroup) int { return slices.Index(names, x.Name) - slices.Index(names, y.Name) })
	frame, err := table.NewFrame(rows,
		table.Word(by, func(g pairGroup) string { return g.Name }),
		table.Word("policy_a", func(g pairGroup) string { return g.a }),
		table.Word("policy_b", func(g pairGroup) string { return g.b }),
		table.Number("jobs", func(g pairGroup) float64 { return float64(g.Jobs) }),
		table.Word("metric", func(g pairGroup) string { return g.MetricDifference.Name }),
		table.Word(".metric", func(g pairGroup) string { return g.heading() }),
		table.Number(".scale", func(g pairGroup) float64 { return g.scale() }),
		table.Number("n", func(g pairGroup) float64 { return float64(len(g.pairs)) }),
		table.Number("mean_a", func(g pairGroup) float64 { return g.A }),
		table.Number("mean_b", func(g pairGroup) float64 { return g.B }),
		table.Number("difference", func(g pairGroup) float64 { return g.Mean }),
		table.Number("interval_low", func(g pairGroup) float64 { return g.Interval.LowEnd() }),
		table.Number("interval_high", func(g pairGroup) float64 { return g.Interval.HighEnd() }),
		table.Number("p", func(g pairGroup) float64 { return g.e.P }),
		table.Number("p_holm", func(g pairGroup) float64 { return g.e.Holm }),
		table.Word("verdict", func(g pairGroup) string { return g.e.Verdict }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare jobs by %s: %w", by, err)
	}
	verdict := table.Words("Verdict", "verdict").Ranked(2)
	if !slices.ContainsFunc(pairs, func(p PairGroups) bool { return p.pairs() > 1 }) {
		verdict.Title = ""
	}
	t, err := table.New(frame,
		table.Words("Jobs by "+by, by).AsIdentity(), table.Words("A", "policy_a").Ranked(5), table.Words("B", "policy_b").AsIdentity(), table.Numbers("Jobs", "jobs", 0).Ranked(4), metricColumn(),
		table.Numbers("n", "n", 0).Ranked(6), scaled("Mean A", "mean_a").Ranked(3), scaled("Mean B", "mean_b").Ranked(3),
		scaled("Difference", "difference").Ranked(1), scaledIntervals("95 % interval", "interval_low", "interval_high").Ranked(1),
		table.Numbers("p", "p", 4).Ranked(8), table.Numbers("p (Holm)", "p_holm", 4).Ranked(7), verdict)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare jobs by %s: %w", by, err)
	}
	return t, nil
}

// JobGroupSummary says what the table of the groups is.
func (c Comparison) JobGroupSummary(by string) string {
	text := fmt.Sprintf("Means over the jobs of each %s, %s beside %s", groupWord(by), c.A, c.B)
	switch {
	case c.Kind == Repetitions:
		return text + "; repetitions of the same jobs have no interval"
	case c.pairs() == 1:
		return text + "; one pair of runs has no interval and no verdict"
	default:
		return text + "; verdicts by Student's paired t at 5 %, corrected by Holm for all rows of main metrics, and apart for those of details"
	}
}

// groupWord is what a group is called in a sentence.
func groupWord(by string) string {
	switch by {
	case "gpu", "contiguity":
		return "kind of jobs"
	}
	return by
}
