package docs

import (
	"fmt"
	"testing"
)

// The summary of record 006-tuned-backfill, which README.md shows, follows from the comparison of the campaign: differences as
// parts of tuned backfill's means, with their intervals and verdicts.
func TestAuctionAgainstTunedBackfill(t *testing.T) {
	const record = "records/006-tuned-backfill/"
	columns, rows := readCSV(t, record+"comparison.csv")
	found := map[string][]string{}
	for _, row := range rows {
		found[row[columns["metric"]]] = row
	}
	want := "metric,tuned backfill,auction,difference %,low %,high %,verdict\n"
	for _, m := range []struct{ name, column string }{
		{"makespan h", "makespan_h"},
		{"CPU utilisation %", "cpu_utilization_percent"},
		{"waiting h", "waiting_mean_h"},
		{"slowdown", "slowdown_mean"},
		{"fragmentation", "fragmentation_mean"},
		{"spread", "spread_mean"},
		{"packing", "packing_mean"},
	} {
		row := found[m.column]
		if row == nil {
			t.Fatalf("no row %s", m.column)
		}
		base := number(t, row[columns["mean_a"]])
		want += fmt.Sprintf("%s,%.3g,%.3g", m.name, base, number(t, row[columns["mean_b"]]))
		for _, column := range []string{"difference", "interval_low", "interval_high"} {
			want += fmt.Sprintf(",%+.1f", 100*number(t, row[columns[column]])/base)
		}
		want += fmt.Sprintf(",%q\n", row[columns["verdict"]])
	}
	compareRecorded(t, record+"summary.csv", want)
}
