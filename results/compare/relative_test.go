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

// Cochran 6.4: the variance of a ratio is that of b - ratio x a over n times the squared mean of a. For
// a = 1, 2, 3 and b = 1, 3, 2 the ratio is 1, the deviations are 0, 1, -1, and Student's quantile with two degrees of
// freedom is 4.3027.
func TestRelativeByHand(t *testing.T) {
	r := relativeOf([]float64{1, 2, 3}, []float64{1, 3, 2})
	if want := 4.3027 * math.Sqrt(1.0/3) / 2; r.Mean != 0 || math.Abs(r.Half()-want) > 1e-4 {
		t.Errorf("got %g ± %g, want 0 ± %g", r.Mean, r.Half(), want)
	}
	for name, c := range map[string]struct {
		a, b []float64
		half float64
	}{
		"one pair":              {[]float64{1}, []float64{2}, math.Inf(1)},
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
