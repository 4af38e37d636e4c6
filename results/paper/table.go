package paper

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/table"
)

// publishedDecimals are one more than the papers print.
const publishedDecimals = 3

// Table has a row per figure.
func Table(figures []Figure) (table.Table, error) {
	ours := func(f Figure) float64 { return ifAny(f.Runs, f.Ours) }
	of := func(beside func(Figure) *Beside) func(value func(Beside) float64) func(Figure) float64 {
		return func(value func(Beside) float64) func(Figure) float64 {
			return func(f Figure) float64 {
				if b := beside(f); b != nil {
					return value(*b)
				}
				return math.NaN()
			}
		}
	}
	beside := of(func(f Figure) *Beside { return f.Beside })
	strongest := of(func(f Figure) *Beside { return f.Strongest })
	frame, err := table.NewFrame(figures,
		table.Number("table", func(f Figure) float64 { return float64(f.Row.Table) }),
		table.Word("machine", func(f Figure) string { return f.Row.Machine }),
		table.Word("row", func(f Figure) string { return f.Row.Name }),
		table.Word("method", func(f Figure) string { return f.Row.Method }),
		table.Word("workload", func(f Figure) string { return f.Row.Workload }),
		table.Word("policy", func(f Figure) string { return f.Policy }),
		table.Word("metric", func(f Figure) string { return f.Measure.Column }),
		table.Word(".metric", func(f Figure) string { return f.Measure.Heading() }),
		table.Number("paper", func(f Figure) float64 { return f.Paper }),
		table.Number("ours", ours),
		table.Number("n", func(f Figure) float64 { return float64(f.Runs) }),
		table.Number("failed", func(f Figure) float64 { return float64(f.Failed) }),
		table.Number("difference", func(f Figure) float64 { return ours(f) - f.Paper }),
		table.Number("interval_low", func(f Figure) float64 { return f.Interval.LowEnd() }),
		table.Number("interval_high", func(f Figure) float64 { return f.Interval.HighEnd() }),
		table.Number("paper_vs_backfill", beside(func(b Beside) float64 { return b.Paper })),
		table.Number("ours_vs_backfill", beside(func(b Beside) float64 { return ifAny(b.Pairs, b.Ours) })),
		table.Number("pairs", beside(func(b Beside) float64 { return float64(b.Pairs) })),
		table.Number("vs_backfill_low", beside(func(b Beside) float64 { return b.Interval.LowEnd() })),
		table.Number("vs_backfill_high", beside(func(b Beside) float64 { return b.Interval.HighEnd() })),
		table.Number("paper_std", func(f Figure) float64 { return f.PaperStd }),
		table.Number("ours_std", func(f Figure) float64 { return f.OursStd }),
		table.Number("ours_vs_strongest", strongest(func(b Beside) float64 { return b.Ours })),
		table.Number("strongest_pairs", strongest(func(b Beside) float64 { return float64(b.Pairs) })),
		table.Number("vs_strongest_low", strongest(func(b Beside) float64 { return b.Interval.LowEnd() })),
		table.Number("vs_strongest_high", strongest(func(b Beside) float64 { return b.Interval.HighEnd() })),
		table.Number("p", func(f Figure) float64 { return f.P }),
		table.Number("p_holm", func(f Figure) float64 { return f.Holm }),
		table.Word("verdict", func(f Figure) string { return f.Words }),
		table.Number("vs_backfill_p", beside(func(b Beside) float64 { return b.P })),
		table.Number("vs_backfill_p_holm", beside(func(b Beside) float64 { return b.Holm })),
		table.Word("vs_backfill_verdict", func(f Figure) string { return f.Beside.words() }),
		table.Number("vs_strongest_p", strongest(func(b Beside) float64 { return b.P })),
		table.Number("vs_strongest_p_holm", strongest(func(b Beside) float64 { return b.Holm })),
		table.Word("vs_strongest_verdict", func(f Figure) string { return f.Strongest.words() }))
	if err != nil {
		return table.Table{}, err
	}
	failed := table.Numbers("Failed jobs", "failed", 0)
	if !slices.ContainsFunc(figures, func(f Figure) bool { return f.Failed > 0 }) {
		failed.Title = ""
	}
	const none = "-"
	columns := []table.Column{
		table.Numbers("Table", "table", 0).AsIdentity(), table.Words("Machine", "machine").AsIdentity(), table.Words("Row", "row").AsIdentity(),
		table.Words("Method", "method").AsIdentity().Ranked(4), table.Words("Workload", "workload").AsIdentity().Ranked(6),
		table.Words("Policy", "policy").AsIdentity().Ranked(1),
		{Title: "Metric", Names: []string{"metric"}, Left: true, Show: func(r table.Row) string { return r.Word(".metric") }},
		table.Numbers("Paper", "paper", publishedDecimals).Ranked(1), table.Numbers("Paper ±", "paper_std", publishedDecimals).Ranked(10),
		table.Numbers("Ours", "ours", publishedDecimals).Ranked(1), table.Numbers("Ours ±", "ours_std", publishedDecimals).Ranked(10), counts("n", "n").Ranked(5),
		table.Numbers("Difference", "difference", publishedDecimals).Ranked(3),
		table.Intervals("95 % interval", "interval_low", "interval_high", publishedDecimals, none).Ranked(7),
		table.Numbers("Paper vs backfill", "paper_vs_backfill", publishedDecimals).Ranked(2),
		table.Numbers("Ours vs backfill", "ours_vs_backfill", publishedDecimals).Ranked(2),
		counts("Pairs", "pairs").Ranked(8),
		table.Intervals("95 % vs backfill", "vs_backfill_low", "vs_backfill_high", publishedDecimals, none).Ranked(9),
		table.Numbers("p", "p", 4).Ranked(12), table.Numbers("p (Holm)", "p_holm", 4).Ranked(11), table.Words("Verdict", "verdict").Ranked(6),
		{Names: []string{"vs_backfill_p"}}, {Names: []string{"vs_backfill_p_holm"}}, table.Words("Verdict vs backfill", "vs_backfill_verdict").Ranked(8),
	}
	// Without runs of the tuned backfill a table has no columns for them.
	if slices.ContainsFunc(figures, func(f Figure) bool { return f.Strongest != nil }) {
		columns = append(columns, table.Numbers("Ours vs strongest", "ours_vs_strongest", publishedDecimals).Ranked(2), counts("Strongest pairs", "strongest_pairs").Ranked(8),
			table.Intervals("95 % vs strongest", "vs_strongest_low", "vs_strongest_high", publishedDecimals, none).Ranked(9),
			table.Column{Names: []string{"vs_strongest_p"}}, table.Column{Names: []string{"vs_strongest_p_holm"}}, table.Words("Verdict vs strongest", "vs_strongest_verdict").Ranked(8))
	}
	return table.New(frame, append(columns, failed)...)
}

// counts are of runs, none of them unknown: nothing is shown that they would count.
func counts(title, name string) table.Column {
	return table.Column{Title: title, Names: []string{name}, Show: func(r table.Row) string {
		if r.Number(name) == 0 {
			return table.Fixed(math.NaN(), 0)
		}
		return table.Fixed(r.Number(name), 0)
	}}
}

// ifAny is a mean over n values, NaN of none.
func ifAny(n int, mean float64) float64 {
	if n == 0 {
		return math.NaN()
	}
	return mean
}
