package paper

import (
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/table"
)

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
		{Title: "Paper vs backfill", Names: []string{"paper_vs_backfill"}},
		{Title: "Ours vs backfill", Names: []string{"ours_vs_backfill"}},
		{Title: "Pairs", Names: []string{"pairs"}},
		{Title: "95 % vs backfill", Names: []string{"vs_backfill_low", "vs_backfill_high"}},
	}
	var rows [][]table.Cell
	for _, f := range figures {
		ours, difference := table.Unknown(1), table.Unknown(1)
		if f.Runs > 0 {
			ours, difference = table.Number(f.Ours, decimals), table.Number(f.Ours-f.Paper, decimals)
		}
		row := []table.Cell{
			table.Count(uint64(f.Row.Table)), table.Text(f.Row.Machine), table.Text(f.Row.Name), table.Text(f.Row.Method),
			table.Text(f.Row.Workload), table.Text(f.Policy),
			{Shown: f.Measure.Heading(), Values: []string{f.Measure.Column}},
			table.Number(f.Paper, decimals), ours, table.Count(uint64(f.Runs)), difference, interval(f.Interval),
		}
		rows = append(rows, append(row, f.Beside.cells()...))
	}
	return table.New(columns, rows)
}

// cells are those of the last four columns.
func (b *Beside) cells() []table.Cell {
	if b == nil {
		return []table.Cell{table.Unknown(1), table.Unknown(1), table.Unknown(1), interval(nil)}
	}
	ours := table.Unknown(1)
	if b.Pairs > 0 {
		ours = table.Number(b.Ours, decimals)
	}
	return []table.Cell{table.Number(b.Paper, decimals), ours, table.Count(uint64(b.Pairs)), interval(b.Interval)}
}

func interval(i *compare.Interval) table.Cell {
	if i == nil {
		return table.Unknown(2)
	}
	low, high := table.Number(i.Low, decimals), table.Number(i.High, decimals)
	return table.Cell{Shown: "[" + low.Shown + ", " + high.Shown + "]", Values: []string{low.Values[0], high.Values[0]}}
}
