package compare

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
)

func windows(values ...string) []Sweep {
	line := SweepLine{}
	for _, v := range values {
		line.Points = append(line.Points, SweepPoint{Value: v, Policy: "auction+window=" + v})
	}
	return []Sweep{{Policy: "auction", Setting: "window", Lines: []SweepLine{line}}}
}

// withJobs gives each run jobs that belong to its seed.
func withJobs(runs ...metric.Result) []metric.Result {
	for i := range runs {
		runs[i].Workload = []byte{byte(runs[i].Run.Seed)}
	}
	return runs
}

func sensitivityOf(runs []metric.Result, sweeps []Sweep, pairs ...[2]string) []Sensitivity {
	return Sensitivities(runs, sweeps, pairs, func(metric.Result) string { return "V.2" })
}

func at(t *testing.T, p CurvePoint, column string) MetricAt {
	t.Helper()
	for _, m := range p.Metrics {
		if m.Column == column {
			return m
		}
	}
	t.Fatalf("no %s in %+v", column, p)
	return MetricAt{}
}

// Means are over the seeds that all values and the reference have. Differences are taken within seeds, so that seeds
// that differ much do not hide them. A value without runs is left out.
func TestSensitivity(t *testing.T) {
	const hour = 3600
	runs := withJobs(
		under("backfill", 1, 2*hour, 0.5), under("backfill", 2, 12*hour, 0.5), under("backfill", 3, 22*hour, 0.5),
		under("auction+window=50", 1, 1*hour, 0.5), under("auction+window=50", 2, 11*hour, 0.5), under("auction+window=50", 3, 21.5*hour, 0.5), under("auction+window=50", 4, 1000*hour, 0.5),
		under("auction+window=100", 3, 22*hour, 0.5), under("auction+window=100", 1, 2*hour, 0.5), under("auction+window=100", 2, 12*hour, 0.5))
	all := sensitivityOf(runs, windows("50", "100", "500"), [2]string{"backfill", "auction+window=50"})
	if len(all) != 1 || all[0].Reference != "backfill" || len(all[0].Curves) != 1 {
		t.Fatalf("got %+v", all)
	}
	c := all[0].Curves[0]
	if c.Replicas != 3 || len(c.Points) != 2 || c.Kind != Seeds || c.Name != "V.2" || c.Machine != "S" {
		t.Fatalf("got %+v", c)
	}
	fast, slow := at(t, c.Points[0], "waiting_mean_h"), at(t, c.Points[1], "waiting_mean_h")
	if math.Abs(fast.Value.Mean-33.5/3) > 1e-9 || math.Abs(fast.Difference.Mean+2.5/3) > 1e-9 {
		t.Errorf("got %+v", fast)
	}
	if fast.Value.Interval.Low > 0 || fast.Difference.Interval.High > 0 {
		t.Errorf("value within %v, difference within %v: want the seeds to hide the value and not the difference", fast.Value.Interval, fast.Difference.Interval)
	}
	if slow.Difference.Mean != 0 {
		t.Errorf("equal runs differ: %+v", slow)
	}
	table, err := SensitivityTable(all)
	if err != nil {
		t.Fatal(err)
	}
	var csv bytes.Buffer
	if err = table.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	if want := "auction,window,50,,S,V.2,,,waiting_mean_h,3,seed,11.16"; !strings.Contains(csv.String(), want) {
		t.Errorf("no %q in\n%s", want, csv.String())
	}
}

// The reference may be a value of the setting itself: it has no difference to itself. Without one there are no differences,
// and repetitions of the same jobs have no intervals.
func TestSensitivityReferences(t *testing.T) {
	runs := withJobs(under("auction+window=50", 1, 1, 0.5), under("auction+window=50", 2, 2, 0.5), under("auction+window=100", 1, 3, 0.5), under("auction+window=100", 2, 3, 0.5))
	own := sensitivityOf(runs, windows("50", "100"), [2]string{"auction+window=50", "auction+window=100"})[0]
	if d := at(t, own.Curves[0].Points[0], "waiting_mean_h").Difference; own.Reference != "auction+window=50" || !math.IsNaN(d.Mean) {
		t.Errorf("got %+v, difference %+v", own.Reference, d)
	}
	if d := at(t, own.Curves[0].Points[1], "waiting_mean_h").Difference; math.Abs(d.Mean-1.5/3600) > 1e-12 {
		t.Errorf("got difference %+v", d)
	}
	none := sensitivityOf(runs, windows("50", "100"))[0]
	if d := at(t, none.Curves[0].Points[1], "waiting_mean_h").Difference; none.Reference != "" || none.Curves[0].Referred || !math.IsNaN(d.Mean) {
		t.Errorf("got %+v, difference %+v", none.Reference, d)
	}
	for i := range runs {
		runs[i].Workload = []byte("one list")
	}
	listed := sensitivityOf(runs, windows("50", "100"))[0]
	if e := at(t, listed.Curves[0].Points[1], "waiting_mean_h").Value; listed.Curves[0].Kind != Repetitions || e.Interval != nil {
		t.Errorf("repetitions have the interval %+v", e.Interval)
	}
	if alone := sensitivityOf(runs, windows("50")); alone != nil {
		t.Errorf("one value alone has the curves %+v", alone)
	}
}

// The order of the runs does not matter.
func TestSensitivityInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs []metric.Result
		for seed := range uint64(4) {
			for _, name := range []string{"backfill", "auction+window=50", "auction+window=100"} {
				runs = append(runs, under(name, seed, rapid.Float64Range(0, 1e5).Draw(t, "waiting"), 0.5))
			}
		}
		text := func(runs []metric.Result) string {
			all := sensitivityOf(withJobs(runs...), windows("50", "100"), [2]string{"backfill", "auction+window=100"})
			table, err := SensitivityTable(all)
			if err != nil {
				t.Fatal(err)
			}
			var csv bytes.Buffer
			if err = table.WriteCSV(&csv); err != nil {
				t.Fatal(err)
			}
			return csv.String()
		}
		want := text(runs)
		if got := text(rapid.Permutation(runs).Draw(t, "order")); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	})
}
