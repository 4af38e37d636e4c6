package paper

import "github.com/slurmlab/slurmlab/results/table"

// decimals are one more than the papers print.
const decimals = 3

// Table has a row per figure.
func Table(figures []Figure) (table.Table, error) {
	columns := []table.Column{
		{Title: "Table", Names: []string{"table"}},
		{Title: "Machine", Names: []string{"machine"}, Left: true},
		{Title: "Row", Names: []string{"row"}, Left: true},
		{Title: "Method", Names: []string{"method"}, Left: true},
		{Title: "Workload", Names: []string{"workload"}, Left: true},
		{Title: "Policy", Names: []string{"policy"}, Left: true},
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: "Paper", Names: []string{"paper"}},
		{Title: "Ours", Names: []string{"ours"}},
		{Title: "n", Names: []string{"n"}},
		{Title: "Difference", Names: []string{"difference"}},
		{Title: "95 % interval", Names: []string{"interval_low", "interval_high"}},
	}
	var rows [][]table.Cell
	for _, f := range figures {
		policy, ours, difference := table.Unknown(1), table.Unknown(1), table.Unknown(1)
		interval := table.Unknown(2)
		if f.Policy != "" {
			policy = table.Text(f.Policy)
		}
		if f.Runs > 0 {
			ours, difference = table.Number(f.Ours, decimals), table.Number(f.Ours-f.Paper, decimals)
		}
		if f.Interval != nil {
			low, high := table.Number(f.Interval.Low, decimals), table.Number(f.Interval.High, decimals)
			interval = table.Cell{Shown: "[" + low.Shown + ", " + high.Shown + "]", Values: []string{low.Values[0], high.Values[0]}}
		}
		rows = append(rows, []table.Cell{
			table.Count(uint64(f.Row.Table)), table.Text(f.Row.Machine), table.Text(f.Row.Name), table.Text(f.Row.Method),
			table.Text(f.Row.Workload), policy,
			{Shown: f.Measure.Heading(), Values: []string{f.Measure.Column}},
			table.Number(f.Paper, decimals), ours, table.Count(uint64(f.Runs)), difference, interval,
		})
	}
	return table.New(columns, rows)
}
