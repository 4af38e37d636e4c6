package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// clockRuns makes one run per list of starts, all of policy backfill and seed 1
// and a run time of 6 h; job k+1 starts at the k-th start.
func clockRuns(clock string, starts ...[]float64) []metric.Result {
	list := make([]metric.Result, len(starts))
	for i, run := range starts {
		list[i] = clockRun(clock, fmt.Sprintf("%s%d", clock, i+1), 6, run)
	}
	return list
}

func clockRun(clock, id string, hours float64, starts []float64) metric.Result {
	r := run("backfill", 1, hours)
	r.Run.ID, r.Run.Clock, r.Run.TimeScale, r.Run.ThinkScale = id, clock, 1, 1
	r.Run.Jobs, r.Metrics.Jobs = len(starts), len(starts)
	for k, s := range starts {
		j := trace.FinishedJob{Start: s}
		j.ID = k + 1
		r.Jobs = append(r.Jobs, j)
	}
	return r
}

// timed makes runs that differ in their run time only.
func timed(clock string, hours ...float64) []metric.Result {
	list := make([]metric.Result, len(hours))
	for i, h := range hours {
		list[i] = clockRun(clock, fmt.Sprintf("%s%d", clock, i+1), h, []float64{0, 10, 20})
	}
	return list
}

func findClock(t rapid.TB, c ClockComparison, name string) ClockDifference {
	t.Helper()
	for _, d := range c.Differences {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no %s in %+v", name, c.Differences)
	return ClockDifference{}
}

// Run times 1, 2, 3 h and 3, 4, 5 h: p = 0.070484 as in TestWelchByHand. Two
// metrics vary, run time and CPU utilisation, so Holm doubles the smaller p.
func TestClocksByHand(t *testing.T) {
	c, err := Clocks(timed("real", 1, 2, 3), timed("jump", 3, 4, 5))
	if err != nil {
		t.Fatal(err)
	}
	d := findClock(t, c, "makespan_h")
	if d.A != (Sample{3, 2, 1}) || d.B != (Sample{3, 4, 1}) || d.Mean != 2 || math.Abs(d.P-0.070484) > 1e-6 || d.Distinguishable {
		t.Errorf("got %+v", d)
	}
	use := findClock(t, c, "cpu_utilization_percent")
	if smaller, larger := min(d.P, use.P), max(d.P, use.P); min(d.Holm, use.Holm) != 2*smaller || max(d.Holm, use.Holm) != max(2*smaller, larger) {
		t.Errorf("got %g and %g adjusted to %g and %g", d.P, use.P, d.Holm, use.Holm)
	}
	if w := findClock(t, c, "waiting_mean_h"); w.P != 1 || w.Holm != 1 || !w.constant() || w.Distinguishable {
		t.Errorf("always equal: got %+v", w)
	}
	if c.Policy != "backfill" || c.Machine != "S" || c.Workload != "V.2" || c.A.Clock != "real" || c.B.Clock != "jump" || c.A.Runs != 3 {
		t.Errorf("got %+v", c)
	}
}

func TestClocksRefuses(t *testing.T) {
	tests := []struct {
		name string
		edit func(a, b []metric.Result) ([]metric.Result, []metric.Result)
		want string
	}{
		{"nothing", func(_, b []metric.Result) ([]metric.Result, []metric.Result) { return nil, b }, "got 0 runs, want at least 2"},
		{"one run", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { return a, b[:1] }, "got 1 runs, want at least 2"},
		{"incomplete", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[1].Run.Status, b[1].Run.Reason = trace.StatusIncomplete, "interrupted"
			return a, b
		}, "run jump2 is incomplete"},
		{"no jobs", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { a[0].Jobs = nil; return a, b }, "run real1: got 0 jobs, it has 3"},
		{"clocks in a set", func(a, b []metric.Result) ([]metric.Result, []metric.Result) { b[1].Run.ThinkScale = 2; return a, b }, "run jump2 is no replica of run jump1: they differ in think_scale (1 and 2)"},
		{"other jobs in a set", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			a[1].Workload = []byte("x")
			return a, b
		}, "run real2 is no replica of run real1: they differ in workload.csv"},
		{"other jobs", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[0].Workload, b[1].Workload = []byte("x"), []byte("x")
			return a, b
		}, "runs real1 and jump1 differ in more than the clock: workload.csv"},
		{"other policy", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			for i := range b {
				b[i].Run.Policy, b[i].Metrics.Policy = "auction", "auction"
			}
			return a, b
		}, `runs real1 and jump1 differ in more than the clock: policy ("backfill-whole-queue" and "auction")`},
		{"other parameters", func(a, b []metric.Result) ([]metric.Result, []metric.Result) {
			b[0].Run.Parameters, b[1].Run.Parameters = []byte("{}"), []byte("{}")
			return a, b
		}, "runs real1 and jump1 differ in more than the clock: policy_parameters"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Clocks(test.edit(timed("real", 6, 7), timed("jump", 6, 7)))
			if err == nil || !strings.Contains(err.Error(), test.want) || !reflect.DeepEqual(c, ClockComparison{}) {
				t.Errorf("got error %v\nwant one with %q", err, test.want)
			}
		})
	}
}

// drawRuns makes runs with random run times and starts, which are whole seconds
// in Slurm.
func drawRuns(t *rapid.T, clock string, n int) []metric.Result {
	list := make([]metric.Result, n)
	for i := range list {
		hours := rapid.Float64Range(1, 2).Draw(t, "hours")
		starts := make([]float64, 4)
		for k := range starts {
			starts[k] = float64(rapid.IntRange(0, 3600).Draw(t, "start"))
		}
		list[i] = clockRun(clock, fmt.Sprintf("%s%d", clock, i+1), hours, starts)
	}
	return list
}

// A set cannot be told from itself, in whatever order its runs are.
func TestIdenticalSetsAreNeverDistinguishable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawRuns(t, "real", rapid.IntRange(2, 6).Draw(t, "n"))
		b := rapid.Permutation(slices.Clone(a)).Draw(t, "b")
		for i := range b {
			b[i].Run.Clock = "jump"
		}
		c, err := Clocks(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Differences {
			if d.Distinguishable || d.P != 1 || d.Holm != 1 || d.Mean != 0 {
				t.Fatalf("got %+v", d)
			}
		}
		if c.Starts.Means.Max != 0 || c.Starts.P != 1 || len(c.Distinguishable()) > 0 {
			t.Fatalf("got %+v", c.Starts)
		}
	})
}

// The comparison distinguishes five runs whose run times lie within an hour from five that are a hundred hours
// longer, and the starts of their jobs from later ones.
func TestLargeShiftIsAlwaysDistinguishable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRuns(t, "real", 5), drawRuns(t, "jump", 5)
		for i := range b {
			b[i].Metrics.Makespan += 100 * 3600
			for k := range b[i].Jobs {
				b[i].Jobs[k].Start += 100 * 3600
			}
		}
		c, err := Clocks(a, b)
		if err != nil {
			t.Fatal(err)
		}
		d := findClock(t, c, "makespan_h")
		if !d.Distinguishable || d.Interval.Low <= 0 || !slices.Contains(c.Distinguishable(), "Makespan h") {
			t.Fatalf("got %+v", d)
		}
		// 2 of the 252 ways to deal ten runs are as extreme.
		if c.Starts.P > 0.02 || c.Starts.Means.Median < 99*3600 {
			t.Fatalf("got %+v", c.Starts)
		}
	})
}

// Exchanging the clocks turns the differences round and changes no verdict.
func TestClocksIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRuns(t, "real", 3), drawRuns(t, "jump", 4)
		ab, err := Clocks(a, b)
		if err != nil {
			t.Fatal(err)
		}
		ba, err := Clocks(b, a)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range ab.Differences {
			e := ba.Differences[i]
			if d.Mean != -e.Mean || math.Abs(d.P-e.P) > 1e-12 || d.Distinguishable != e.Distinguishable || math.Abs(d.Interval.Low+e.Interval.High) > 1e-9 {
				t.Fatalf("%+v and %+v", d, e)
			}
		}
		if ab.Starts.Pairs != ba.Starts.Pairs || ab.Starts.Means != ba.Starts.Means {
			t.Fatalf("%+v and %+v", ab.Starts, ba.Starts)
		}
	})
}

// Without an effect, any of several independent metrics is called
// distinguishable in at most 5 % of the experiments (four standard errors of
// 1000 above it are 7.8 %).
func TestFamilyWiseError(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func(clock string) []metric.Result {
		runs := timed(clock, 6, 6, 6, 6, 6)
		for i := range runs {
			m := runs[i].Metrics
			for _, v := range []*float64{&m.Makespan, &m.GPUUtilization, &m.Waiting.Mean, &m.Slowdown.Mean, &m.Spread.Mean, &m.Packing.Mean} {
				*v = 100 + random.NormFloat64()
			}
		}
		return runs
	}
	const experiments = 1000
	found := 0
	for range experiments {
		c := ClockComparison{}
		a, b := draw("real"), draw("jump")
		var err error
		if c.Differences, err = clockDifferences(a, b); err != nil {
			t.Fatal(err)
		}
		c.adjust()
		if len(c.Distinguishable()) > 0 {
			found++
		}
	}
	if share := float64(found) / experiments; share > 0.078 || share < 0.01 {
		t.Errorf("something was found in %g of the experiments without an effect", share)
	}
}
