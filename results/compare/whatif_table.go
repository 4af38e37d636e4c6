package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// whatIfColumn is a column of the table for people and of CSV.
type whatIfColumn struct {
	title, name string
	rank        int
	decimals    int
	value       func(WhatIfRow) float64
	// atLeast says that the value is a lower bound.
	atLeast func(WhatIfRow) bool
}

// whatIfColumns declares the columns of numbers once. A narrow screen shows the ones of lower rank; see table.Column.
func (w WhatIf) whatIfColumns() []whatIfColumn {
	hours := func(of func(WhatIfRow) float64) func(WhatIfRow) float64 {
		return func(r WhatIfRow) float64 { return of(r) / hour }
	}
	bound := func(title, name string, rank int, of func(WhatIfRow) Bound) whatIfColumn {
		return whatIfColumn{
			title, name, rank, hourDecimals, hours(func(r WhatIfRow) float64 { return of(r).Value }),
			func(r WhatIfRow) bool { return of(r).AtLeast },
		}
	}
	beside := func(of func(WhatIfRow) int) func(WhatIfRow) float64 {
		return func(r WhatIfRow) float64 {
			if r.Scenario == w.Scenarios[0] {
				return math.NaN()
			}
			return float64(of(r))
		}
	}
	spread := 0
	if !w.Spread {
		spread = hidden
	}
	list := []whatIfColumn{
		bound("Median h", "wait_median_h", 0, func(r WhatIfRow) Bound { return r.Median }),
		bound("p95 h", "wait_p95_h", 0, func(r WhatIfRow) Bound { return r.P95 }),
		bound("Longest h", "wait_longest_h", 2, func(r WhatIfRow) Bound { return r.Longest }),
		bound("Mean h", "wait_mean_h", spread, func(r WhatIfRow) Bound { return r.Mean }),
		{"Deviation h", "wait_std_h", spread, hourDecimals, hours(func(r WhatIfRow) float64 { return r.Std }), nil},
		{"> 1 h", "waited_over_1_h", 1, 0, func(r WhatIfRow) float64 { return r.OverHour }, nil},
		{"Jobs", "jobs", 6, 0, func(r WhatIfRow) float64 { return r.Waited }, nil},
		{"Jobs helped", "jobs_helped", 4, 0, beside(func(r WhatIfRow) int { return r.Helped }), nil},
		{"Jobs hurt", "jobs_hurt", 4, 0, beside(func(r WhatIfRow) int { return r.Hurt }), nil},
		{"Users helped", "users_helped", 5, 0, beside(func(r WhatIfRow) int { return r.UsersHelped }), nil},
		{"Users hurt", "users_hurt", 5, 0, beside(func(r WhatIfRow) int { return r.UsersHurt }), nil},
		{"Undecided", "jobs_undecided", hidden, 0, beside(func(r WhatIfRow) int { return r.Undecided }), nil},
		{"GPUs in use %", "gpus_in_use_percent", 3, 1, func(r WhatIfRow) float64 { return 100 * r.GPUsInUse }, nil},
		{"Cores in use %", "cores_in_use_percent", 8, 1, func(r WhatIfRow) float64 { return 100 * r.CoresInUse }, nil},
		{"GPU h", "gpu_hours", 7, 0, hours(func(r WhatIfRow) float64 { return sum(r.GPUSeconds) }), nil},
		{"Core h", "core_hours", 7, 0, hours(func(r WhatIfRow) float64 { return sum(r.CoreSeconds) }), nil},
	}
	for _, name := range w.GPUTypes {
		list = append(list, whatIfColumn{name + " GPU h", "gpu_hours_" + name, 9, 0, hours(func(r WhatIfRow) float64 { return r.GPUSeconds[name] }), nil})
	}
	for _, name := range slices.Concat(w.GPUTypes, []string{metric.NoGPU}) {
		list = append(list, whatIfColumn{
			"Core h on " + name, "core_hours_on_" + strings.ReplaceAll(name, " ", "_"), 10, 0,
			hours(func(r WhatIfRow) float64 { return r.CoreSeconds[name] }), nil,
		})
	}
	return append(list, []whatIfColumn{
		{"Days", "days", 11, 0, func(r WhatIfRow) float64 { return float64(r.Days) }, nil},
		{"", "runs", 0, 0, func(r WhatIfRow) float64 { return float64(r.Runs) }, nil},
		{"Never started", "never_started", 11, 0, func(r WhatIfRow) float64 { return r.NeverStarted }, nil},
		{"", "cancelled_pending", 0, 0, func(r WhatIfRow) float64 { return r.Left }, nil},
		{"", "cancelled_pending_started", 0, 0, func(r WhatIfRow) float64 { return r.LeftStarted }, nil},
		{"", "ran_before", 0, 0, func(r WhatIfRow) float64 { return r.RanBefore }, nil},
		{"", "ran_before_delayed", 0, 0, func(r WhatIfRow) float64 { return r.DelayedBefore }, nil},
		{"", "killed", 0, 0, func(r WhatIfRow) float64 { return r.Killed }, nil},
		{"", "lost", 0, 0, func(r WhatIfRow) float64 { return r.Lost }, nil},
		{"", "split", 0, 0, func(r WhatIfRow) float64 { return r.Split }, nil},
		{"", "changed", 0, 0, func(r WhatIfRow) float64 { return r.Changed }, nil},
		{"", "moved", 0, 0, func(r WhatIfRow) float64 { return r.Moved }, nil},
		{"", "added", 0, 0, func(r WhatIfRow) float64 { return r.Added }, nil},
		{"", "gone", 0, 0, func(r WhatIfRow) float64 { return r.Gone }, nil},
		{"p", "p", 12, 4, func(r WhatIfRow) float64 { return r.P }, nil},
		{"p (Holm)", "p_holm", 12, 4, func(r WhatIfRow) float64 { return r.Holm }, nil},
	}...)
}

// hourDecimals are 36 s, which is finer than any wait that matters here.
const hourDecimals = 2

// hidden is the rank of columns that people see in the wide table alone.
const hidden = 1000

// Table has a row for each group and scenario.
func (w WhatIf) Table() (table.Table, error) {
	m := w.measure()
	scaled := func(v float64) float64 { return v / m.unit }
	fields := []table.Field[WhatIfRow]{
		table.Word(w.By, func(r WhatIfRow) string { return r.Group }),
		table.Word("scenario", func(r WhatIfRow) string { return r.Scenario }),
		table.Word("judged", func(WhatIfRow) string { return m.name }),
		table.Number("change", func(r WhatIfRow) float64 { return scaled(r.Difference) }),
		table.Number("interval_low", func(r WhatIfRow) float64 { return scaled(r.Interval.LowEnd()) }),
		table.Number("interval_high", func(r WhatIfRow) float64 { return scaled(r.Interval.HighEnd()) }),
		table.Word("verdict", func(r WhatIfRow) string { return r.Verdict }),
	}
	change := table.Column{Title: "Change " + m.symbol, Names: []string{"change"}, Rank: -2, Show: func(r table.Row) string { return signed(r.Number("change")) }}
	columns := []table.Column{
		table.Words(strings.ToUpper(groupTitle(w.By)[:1])+groupTitle(w.By)[1:], w.By).Ranked(-5), table.Words("Scenario", "scenario").Ranked(-4),
	}
	var further []table.Column
	for _, c := range w.whatIfColumns() {
		fields = append(fields, table.Number(c.name, c.value))
		column := table.Numbers(c.title, c.name, c.decimals).Ranked(c.rank)
		column.Detail = c.rank == hidden
		if c.atLeast != nil {
			flag := c.name + "_at_least"
			fields = append(fields, table.Number(flag, func(r WhatIfRow) float64 { return map[bool]float64{true: 1}[c.atLeast(r)] }))
			further = append(further, table.Column{Names: []string{flag}})
			column.Show = func(r table.Row) string {
				return map[bool]string{true: "≥"}[r.Number(flag) == 1] + table.Fixed(r.Number(c.name), c.decimals)
			}
		}
		columns = append(columns, column)
		if c.name == "waited_over_1_h" {
			columns = append(columns, change,
				table.Column{Title: "95 % interval", Names: []string{"interval_low", "interval_high"}, Rank: -3, Show: func(r table.Row) string {
					low := r.Number("interval_low")
					if math.IsNaN(low) {
						return ""
					}
					return "[" + signed(low) + ", " + signed(r.Number("interval_high")) + "]"
				}},
				table.Words("Verdict", "verdict").Ranked(-1))
		}
	}
	columns = append(columns, table.Column{Names: []string{"judged"}})
	frame, err := table.NewFrame(w.Rows, fields...)
	if err != nil {
		return table.Table{}, fmt.Errorf("table of scenarios: %w", err)
	}
	t, err := table.New(frame, append(columns, further...)...)
	if err != nil {
		return table.Table{}, fmt.Errorf("table of scenarios: %w", err)
	}
	return t, nil
}

// signed is a change with its sign, nothing for an unknown one.
func signed(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	fixed := table.Fixed(v, hourDecimals)
	if v > 0 && strings.Trim(fixed, "0.") != "" {
		return "+" + fixed
	}
	return fixed
}

// groupTitle heads the column of groups.
func groupTitle(by string) string {
	if by == "qos" {
		return "QOS"
	}
	return by
}

// AffectedTable has a row for each user with a job that is helped or hurt, the most hurt of a scenario first.
func (w WhatIf) AffectedTable() (table.Table, error) {
	hours := func(title, name string) table.Column { return table.Numbers(title, name, hourDecimals) }
	frame, err := table.NewFrame(w.Affected,
		table.Word("scenario", func(a Affected) string { return a.Scenario }),
		table.Word("user", func(a Affected) string { return a.User }),
		table.Number("jobs", func(a Affected) float64 { return float64(a.Jobs) }),
		table.Number("jobs_hurt", func(a Affected) float64 { return float64(a.Hurt) }),
		table.Number("jobs_helped", func(a Affected) float64 { return float64(a.Helped) }),
		table.Number("wait_base_h", func(a Affected) float64 { return a.Base / hour }),
		table.Number("wait_h", func(a Affected) float64 { return a.Wait / hour }),
		table.Number("change_h", func(a Affected) float64 { return a.Change() / hour }),
		table.Word("day", func(a Affected) string { return a.Day }),
		table.Number("job", func(a Affected) float64 { return float64(a.Job) }),
		table.Number("job_wait_base_h", func(a Affected) float64 { return a.JobBase / hour }),
		table.Number("job_wait_h", func(a Affected) float64 { return a.JobWait / hour }))
	if err != nil {
		return table.Table{}, fmt.Errorf("table of users: %w", err)
	}
	t, err := table.New(frame,
		table.Words("Scenario", "scenario"), table.Words("User", "user"), table.Numbers("Jobs", "jobs", 0),
		table.Numbers("Hurt", "jobs_hurt", 0), table.Numbers("Helped", "jobs_helped", 0),
		hours("Mean wait in base h", "wait_base_h"), hours("Mean wait h", "wait_h"),
		table.Column{Title: "Change h", Names: []string{"change_h"}, Show: func(r table.Row) string { return signed(r.Number("change_h")) }},
		table.Words("Worst on", "day").Ranked(1), table.Numbers("Job", "job", 0).Ranked(1),
		hours("Its wait in base h", "job_wait_base_h").Ranked(1), hours("Its wait h", "job_wait_h").Ranked(1))
	if err != nil {
		return table.Table{}, fmt.Errorf("table of users: %w", err)
	}
	return t, nil
}

// Explain says in a sentence each how the table is to be read. What holds for all rows is said once.
func (w WhatIf) Explain() []string {
	m := w.measure()
	lines := []string{fmt.Sprintf("Waits are over the jobs of %s. The change is of the %s, in %s: the mean over the days, each against the same day of %s.",
		text.Plural(len(w.Days), "day"), m.words, m.symbol, w.Scenarios[0])}
	if w.shaken() {
		lines = append(lines, "Shakes of a day are averaged first: they are no further days.")
	}
	switch most := w.mostPairs(); most {
	case 0, 1:
		lines = append(lines, "One day has no interval and no verdict: take more days.")
	default:
		lines = append(lines, "The interval is Student's over days at 95 %. Each scenario is a question of its own: Holm's correction counts its rows in this table, and rows with the same changes on all days once. A verdict with \"or chance\" holds only for a row judged alone.")
	}
	return append(lines, fmt.Sprintf("Helped or hurt is a job whose wait differs by more than %g min and %g %%, and a user whose mean wait does.", w.Minutes, w.Percent))
}

func (w WhatIf) shaken() bool {
	return slices.ContainsFunc(w.Rows, func(r WhatIfRow) bool { return r.Runs > r.Days })
}

func (w WhatIf) mostPairs() (most int) {
	for _, r := range w.Rows {
		most = max(most, r.Pairs)
	}
	return most
}

// Notes say in a sentence each what is special about a scenario: which waits are unknown, and which jobs it changed.
func (w WhatIf) Notes() []string { return slices.Clone(w.notes) }

// Remark adds sentences to the notes.
func (w *WhatIf) Remark(lines ...string) { w.notes = append(w.notes, lines...) }

// Findings say of each scenario in a sentence what it does to all jobs, and how many it helps and hurts.
func (w WhatIf) Findings() []string {
	m := w.measure()
	var lines []string
	for _, r := range w.Rows {
		if r.Group != AllJobs || r.Scenario == w.Scenarios[0] {
			continue
		}
		line := r.Scenario + ": "
		switch {
		case r.Pairs == 0:
			line += "no day in common with " + w.Scenarios[0]
		case r.Interval == nil:
			line += fmt.Sprintf("%s %s %s on one day", m.words, signed(r.Difference/m.unit), m.symbol)
		default:
			line += fmt.Sprintf("%s %s %s [%s, %s], %s", m.words, signed(r.Difference/m.unit), m.symbol,
				signed(r.Interval.Low/m.unit), signed(r.Interval.High/m.unit), r.Verdict)
		}
		line = fmt.Sprintf("%s; %s helped and %d hurt, %s helped and %d hurt", line,
			text.Plural(r.Helped, "job"), r.Hurt, text.Plural(r.UsersHelped, "user"), r.UsersHurt)
		if base := w.baseRow(); base != nil && r.Lost > base.Lost {
			// Waits alone would call a scenario good that ends jobs.
			line += fmt.Sprintf("; %s more jobs did not end as planned", text.Number(math.Round(10*(r.Lost-base.Lost))/10))
		}
		lines = append(lines, line+".")
	}
	return lines
}

// Waits are the waits of a scenario's jobs over all days: at T seconds the part V of the jobs that had started by then.
// It stays below 1 where jobs never started.
func (w WhatIf) Waits(scenario string) []metric.Point {
	waits := slices.SortedStableFunc(slices.Values(w.waits[scenario]), func(a, b weighted) int { return cmp.Compare(a.wait, b.wait) })
	all, sum := 0.0, 0.0
	for _, v := range waits {
		all += v.weight
	}
	var points []metric.Point
	for _, v := range waits {
		if v.atLeast {
			continue
		}
		sum += v.weight
		if n := len(points); n > 0 && points[n-1].T == v.wait {
			points[n-1].V = sum / all
			continue
		}
		points = append(points, metric.Point{T: v.wait, V: sum / all})
	}
	return points
}
