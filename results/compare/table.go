package compare

import (
	"fmt"

	"github.com/slurmlab/slurmlab/results/table"
)

// decimals of a shown number. A cycle takes milliseconds; the rest is shown as
// in the table of runs, with one digit more because differences are small.
const decimals = 3

// Table has one row per metric: means of both policies, mean difference b - a,
// its 95 % interval, and the better policy. The columns of the means are named
// after the policies, a's first, in CSV too.
func (c Comparison) Table() (table.Table, error) {
	columns := []table.Column{
		{Title: "Metric", Names: []string{"metric"}, Left: true},
		{Title: "n", Names: []string{"n"}},
		{Title: c.A, Names: []string{c.A}},
		{Title: c.B, Names: []string{c.B}},
		{Title: "Difference", Names: []string{"difference"}},
		{Title: "95 % interval", Names: []string{"interval_low", "interval_high"}},
		{Title: "Better", Names: []string{"better", "sure"}, Left: true},
	}
	rows := make([][]table.Cell, len(c.Differences))
	for i, d := range c.Differences {
		rows[i] = []table.Cell{
			{Shown: d.Metric, Values: []string{d.Name}},
			table.Count(uint64(len(c.Seeds))),
			table.Number(d.A, decimals), table.Number(d.B, decimals), table.Number(d.Mean, decimals),
			interval(d.Interval), verdict(d),
		}
	}
	t, err := table.New(columns, rows)
	if err != nil {
		return table.Table{}, fmt.Errorf("compare %s with %s: %w", c.A, c.B, err)
	}
	return t, nil
}

func interval(i *Interval) table.Cell {
	if i == nil {
		return table.Cell{Shown: "n=1, no interval", Values: make([]string, 2)}
	}
	low, high := table.Number(i.Low, decimals), table.Number(i.High, decimals)
	return table.Cell{
		Shown:  fmt.Sprintf("[%s, %s]", low.Shown, high.Shown),
		Values: []string{low.Values[0], high.Values[0]},
	}
}

// verdict never names a winner without saying how sure it is.
func verdict(d Difference) table.Cell {
	shown := d.Better
	switch {
	case d.Better == "":
		shown = "equal"
	case !d.Sure:
		shown += " (not sure)"
	}
	return table.Cell{Shown: table.Text(shown).Shown, Values: []string{d.Better, fmt.Sprint(d.Sure)}}
}
