package paper

import (
	"math"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

// AUCSCHED tables 5 to 7 have 15 workloads under two methods each; every column
// is one of our measures.
func TestRows(t *testing.T) {
	columns := map[string]bool{}
	for _, m := range metric.Measures() {
		columns[m.Column] = true
	}
	for number, machine := range map[int]string{5: "S", 6: "M", 7: "L"} {
		rows, err := Rows(number)
		if err != nil || len(rows) != 30 {
			t.Fatalf("table %d: %d rows, %v", number, len(rows), err)
		}
		for _, r := range rows {
			if r.Machine != machine || r.Policy == "" || len(r.Values) != 7 {
				t.Errorf("table %d: got %+v", number, r)
			}
			for column := range r.Values {
				if !columns[column] {
					t.Errorf("%s is no measure", column)
				}
			}
		}
	}
	// AUCSCHED table 5, row V.2 of SLURM/BF.
	rows, err := Rows(5, "V.2")
	if err != nil || len(rows) != 2 || rows[1].Method != "SLURM/BF" || rows[1].Policy != "backfill" || rows[1].Values["waiting_mean_h"] != 1.71 || rows[1].Values["slowdown_mean"] != 20.63 {
		t.Errorf("got %+v, %v", rows, err)
	}
	for want, call := range map[string]func() ([]Row, error){
		"table: 4 is not known, allowed are 5, 6 and 7":                      func() ([]Row, error) { return Rows(4) },
		`rows: "VI.1", "x" not in table 5, allowed are I.1, I.2, I.3, II.1,`: func() ([]Row, error) { return Rows(5, "VI.1", "V.1", "x") },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

func run(policy, workload string, hours float64) metric.Metrics {
	return metric.Metrics{Machine: "S", Workload: workload, Policy: policy, Runtime: hours * 3600, CPUUtilization: 0.7}
}

// The paper has 6.15 h for V.2 under SLURM/BF; ours are 5 and 6 h: the mean
// differs by -0.65, and t(1) is 12.706.
func TestCompare(t *testing.T) {
	rows, err := Rows(5, "V.2")
	if err != nil {
		t.Fatal(err)
	}
	other := run("backfill", "V.2", 9)
	other.Machine = "M"
	figures := Compare(rows, []metric.Metrics{run("backfill", "V.2", 5), run("backfill", "V.1", 9), other, run("backfill", "V.2", 6)})
	if len(figures) != 14 {
		t.Fatalf("%d figures", len(figures))
	}
	for _, f := range figures {
		switch {
		case f.Row.Policy == "auction" && (f.Runs != 0 || f.Interval != nil):
			t.Errorf("got %+v", f)
		case f.Row.Policy == "backfill" && f.Measure.Column == "runtime_h":
			half := 12.7062 * math.Sqrt(0.5) / math.Sqrt2
			if f.Runs != 2 || math.Abs(f.Ours-5.5) > 1e-9 || math.Abs(f.Interval.Low-(-0.65-half)) > 1e-3 || math.Abs(f.Interval.High-(-0.65+half)) > 1e-3 {
				t.Errorf("got %+v, interval %+v", f, f.Interval)
			}
		}
	}
	view, err := Table(figures)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.Join(view.Rows()[0], " ")
	if first != "5 S V.2 AUCSCHED Theo. runtime h 4.182 - 0 - -" {
		t.Errorf("got %s", first)
	}
}
