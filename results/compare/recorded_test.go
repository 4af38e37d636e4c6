package compare

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// The comparison of record 006-tuned-backfill, with its verdicts, follows from its table of runs: UPDATE_RECORDS=1 writes it.
func TestRecordedComparison(t *testing.T) {
	const record = "../../docs/records/006-tuned-backfill/"
	text, err := os.ReadFile(record + "runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	values := func(policy string, m metric.Measure) (all []float64) {
		for _, row := range rows[1:] {
			if row[column("policy")] != policy || column(m.Column) < 0 {
				continue
			}
			if v, bad := strconv.ParseFloat(row[column(m.Column)], 64); bad == nil {
				all = append(all, v)
			}
		}
		return all
	}
	g := Grouped{Name: "V.2", Comparison: Comparison{Machine: "S", Workload: "V.2", Backend: trace.Backend{Form: "external", Series: "26.05"}, Events: trace.NoEvents, Kind: Seeds}}
	g.Of, g.A, g.B = trace.OfPolicies, "backfill", "auction"
	for _, row := range rows[1:] {
		if row[column("policy")] == g.A {
			seed, bad := strconv.ParseUint(row[column("seed")], 10, 64)
			if bad != nil {
				t.Fatal(bad)
			}
			g.Seeds = append(g.Seeds, seed)
		}
	}
	for _, m := range measures(workloads.Machine{GPUs: 1}) {
		a, b := values(g.A, m), values(g.B, m)
		if len(a) == len(g.Seeds) && len(b) == len(g.Seeds) {
			g.Differences = append(g.Differences, g.difference(m, a, b))
		}
	}
	made, err := GroupTable([]Grouped{g}, false)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err = made.WriteCSV(&want); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_RECORDS") != "" {
		if err = os.WriteFile(record+"comparison.csv", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(record + "comparison.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("comparison.csv has\n%s, its runs make\n%s", got, want.Bytes())
	}
}
