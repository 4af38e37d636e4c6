package compare

import (
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Two jobs: the first always starts at 0; the second at 10, 12 under A and at
// 20, 26 under B. Pairs within A differ by 0 and 2, within B by 0 and 6, across
// by 0 (four times), 10, 16, 8, 14; the means by 0 and 12.
func TestStartsByHand(t *testing.T) {
	c, err := Clocks(clockRuns("real", []float64{0, 10}, []float64{0, 12}), clockRuns("jump", []float64{0, 20}, []float64{0, 26}))
	if err != nil {
		t.Fatal(err)
	}
	if c.A.Pairs != (Distribution{0, 2, 2}) || c.B.Pairs != (Distribution{0, 6, 6}) {
		t.Errorf("within: got %+v and %+v", c.A.Pairs, c.B.Pairs)
	}
	if c.Starts.Pairs != (Distribution{0, 16, 16}) || c.Starts.Means != (Distribution{0, 12, 12}) {
		t.Errorf("between: got %+v", c.Starts)
	}
	// Of the 6 ways to choose two of four runs, the actual one and its reverse
	// have the largest difference of means: 1/3, within four standard errors of
	// 10000 dealings.
	if math.Abs(c.Starts.P-1.0/3) > 0.019 {
		t.Errorf("P = %g", c.Starts.P)
	}
}

// Three runs of four jobs. Job 1 is always equal, job 2 within 2 s, job 3 within
// 3 s, job 4 was cancelled in one run. The order is 1, 2, 3 but in the last run.
func TestRepeatByHand(t *testing.T) {
	runs := clockRuns("jump", []float64{0, 10, 12, 30}, []float64{0, 11, 13, 31}, []float64{0, 12, 10, trace.NeverStarted})
	runs[1].Metrics.Makespan = 12 * 3600
	runs[2].Metrics.Makespan = 9 * 3600
	r, err := Repeat(runs)
	if err != nil {
		t.Fatal(err)
	}
	if r.Jobs != 3 || r.LeftOut != 1 || r.EqualStarts != 1 || r.CloseStarts != 2 || r.SameOrder != 1 || r.Runs != 3 || r.Clock != "jump" {
		t.Errorf("got %+v", r)
	}
	// |differences|: job 1 0 0 0, job 2 1 2 1, job 3 1 2 3.
	if r.Pairs != (Distribution{1, 3, 3}) {
		t.Errorf("pairs %+v", r.Pairs)
	}
	// 6, 12, 9 h: mean 9, deviation 3.
	for _, v := range r.Metrics {
		if cv, _ := v.Sample.CV(); v.Name == "makespan_h" && (v.Sample != Sample{3, 9, 3} || cv != 1.0/3) {
			t.Errorf("got %+v", v)
		}
	}
}

// Jobs of one second are in the order of their ids, whatever the order of rows.
func TestSameOrder(t *testing.T) {
	for _, test := range []struct {
		starts starts
		want   int
	}{
		{starts{{0, 5, 9}, {1, 7, 8}}, 3},
		{starts{{0, 5, 5}, {0, 5, 6}}, 3},
		{starts{{0, 5, 5}, {0, 6, 5}}, 1},
		{starts{{3, 2, 1}, {1, 2, 3}}, 0},
		{starts{{}, {}}, 0},
	} {
		if got := test.starts.sameOrder(); got != test.want {
			t.Errorf("%v: got %d, want %d", test.starts, got, test.want)
		}
	}
}

// Nearest rank: of 20 values the 10th and the 19th.
func TestDistribution(t *testing.T) {
	var values []float64
	for v := range 20 {
		values = append(values, float64(20-v))
	}
	if got := newDistribution(values); got != (Distribution{10, 19, 20}) {
		t.Errorf("got %+v", got)
	}
	if got := newDistribution(nil); got != (Distribution{}) {
		t.Errorf("got %+v", got)
	}
}
