package compare

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
)

// measured is a comparison of one metric over these values of both sides.
func measured(a, b []float64) Comparison {
	c := Comparison{Kind: Seeds, Seeds: make([]uint64, len(a))}
	c.A, c.B = "old", "new"
	c.Differences = []MetricDifference{c.difference(metric.FindMeasure("waiting_s"), a, b)}
	return c
}

func relativeOf(a, b []float64) Relative {
	r, _ := measured(a, b).Relative("waiting_mean_h")
	return r
}

// Fieller 1954: for a = 9, 10, 11 and b = 9, 11, 10 the ratio less 1 is 0, the variances of a and b - a are 1, their
// covariance is -1/2, and t² / n is 4.3027² / 3 = 6.1711. The ends are (6.1711 / 2 ± sqrt((6.1711 / 2)² + (100 - 6.1711) x
// 6.1711)) / (100 - 6.1711).
func TestRelativeByHand(t *testing.T) {
	r := relativeOf([]float64{9, 10, 11}, []float64{9, 11, 10})
	if r.Mean != 0 || math.Abs(r.Interval.Low+0.2257) > 1e-4 || math.Abs(r.Interval.High-0.2914) > 1e-4 {
		t.Errorf("got %g, %+v, want 0, [-0.2257, 0.2914]", r.Mean, r.Interval)
	}
	for name, c := range map[string]struct {
		a, b []float64
		half float64
	}{
		"one pair":              {[]float64{1}, []float64{2}, math.Inf(1)},
		"a may be 0":            {[]float64{1, 2, 3}, []float64{1, 3, 2}, math.Inf(1)},
		"a is 0":                {[]float64{0, 0}, []float64{0, 1}, math.Inf(1)},
		"both are 0":            {[]float64{0, 0}, []float64{0, 0}, 0},
		"the same ratio always": {[]float64{1, 2, 4}, []float64{2, 4, 8}, 0},
	} {
		if r := relativeOf(c.a, c.b); r.Half() != c.half {
			t.Errorf("%s: got ± %g, want ± %g", name, r.Half(), c.half)
		}
	}
	if _, known := measured([]float64{1}, []float64{2}).Relative("x"); known {
		t.Error("a metric that is not compared is known")
	}
}

// The unit of a metric does not matter, and pairs come in any order.
func TestRelativeHasNoUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(0.1, 10)
		n := rapid.IntRange(2, 30).Draw(t, "pairs")
		a, b := rapid.SliceOfN(value, n, n).Draw(t, "a"), rapid.SliceOfN(value, n, n).Draw(t, "b")
		unit := rapid.Float64Range(1e-3, 1e3).Draw(t, "unit")
		was := relativeOf(a, b)
		for i := range a {
			a[i], b[i] = unit*a[i], unit*b[i]
		}
		a[0], a[n-1], b[0], b[n-1] = a[n-1], a[0], b[n-1], b[0]
		is := relativeOf(a, b)
		if math.Abs(is.Mean-was.Mean) > 1e-9 || math.Abs(is.Half()-was.Half()) > 1e-6*(1+was.Half()) {
			t.Fatalf("got %g ± %g, before %g ± %g", is.Mean, is.Half(), was.Mean, was.Half())
		}
	})
}

// Fieller's ends are where Student's paired t of (b - a) - x a is at 5 %, so the interval holds 0 exactly where the interval
// of the difference does: verdict and margin cannot contradict each other.
func TestRelativeIsStudentsTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "pairs")
		a, b := rapid.SliceOfN(rapid.Float64Range(1, 3), n, n).Draw(t, "a"), rapid.SliceOfN(rapid.Float64Range(0, 4), n, n).Draw(t, "b")
		c := measured(a, b)
		r := c.relative(c.Differences[0])
		if r.Interval == nil || r.Half() < 1e-6 {
			t.Skip("no interval, or a point")
		}
		for _, x := range []float64{r.Interval.Low, r.Interval.High} {
			moved := make([]float64, n)
			for i := range moved {
				moved[i] = b[i] - a[i] - x*a[i]
			}
			if p := MeanP(moved); math.Abs(p-significance) > 1e-6 {
				t.Fatalf("at %g p is %g", x, p)
			}
		}
		absolute := c.Differences[0].Interval
		if math.Abs(absolute.Low) > 1e-9 && math.Abs(absolute.High) > 1e-9 &&
			(absolute.Low < 0 && absolute.High > 0) != (r.Interval.Low < 0 && r.Interval.High > 0) {
			t.Fatalf("difference %+v, relative %+v", absolute, r.Interval)
		}
	})
}
