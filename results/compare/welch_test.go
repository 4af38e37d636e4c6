package compare

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Student's and Welch's tests are commonly explained with these two samples of screws (Wikipedia, "Student's t-test",
// section "Worked examples"). The difference is 0.095, the standard error 0.04849, with 7.031 degrees of freedom, p =
// 0.09077.
func TestWelchWorkedExample(t *testing.T) {
	a := newSample([]float64{30.02, 29.99, 30.11, 29.97, 30.01, 29.99})
	b := newSample([]float64{29.89, 29.93, 29.72, 29.98, 30.02, 29.98})
	interval, p := welch(b, a)
	if math.Abs(p-0.09077) > 5e-6 {
		t.Errorf("p = %g", p)
	}
	// t(7.031) lies between the printed 2.365 of 7 and 2.306 of 8 degrees.
	middle, half := (interval.Low+interval.High)/2, (interval.High-interval.Low)/2
	if math.Abs(middle-0.095) > 1e-9 || half < 0.04849*2.306 || half > 0.04849*2.365 {
		t.Errorf("interval %+v", interval)
	}
}

// With equal sizes and deviations Welch's test is Student's. With means 2 and 4 and variances 1, t = 2/sqrt(2/3) =
// 2.449490 with 4 degrees of freedom. Its two-sided probability is 0.070484 (p = 1 - s(1 + (1-s²)/2), s =
// t/sqrt(t²+4)).
func TestWelchByHand(t *testing.T) {
	interval, p := welch(newSample([]float64{1, 2, 3}), newSample([]float64{3, 4, 5}))
	s := math.Sqrt(6.0 / 10)
	if want := 1 - s*(1+(1-s*s)/2); math.Abs(p-want) > 1e-9 || math.Abs(p-0.070484) > 1e-6 {
		t.Errorf("p = %g, want %g", p, want)
	}
	// t(4) = 2.776445.
	half := 2.776445 * math.Sqrt(2.0/3)
	if math.Abs(interval.Low-(2-half)) > 1e-5 || math.Abs(interval.High-(2+half)) > 1e-5 {
		t.Errorf("interval %+v", interval)
	}
}

// Two samples without any deviation are different for certain or equal, however
// many decimals their values have.
func TestWelchWithoutDeviation(t *testing.T) {
	three, five := newSample([]float64{0.1, 0.1, 0.1}), newSample([]float64{0.1, 0.1, 0.1, 0.1, 0.1})
	if interval, p := welch(three, five); p != 1 || interval != (Interval{}) {
		t.Errorf("equal: p = %g, %+v", p, interval)
	}
	if interval, p := welch(three, newSample([]float64{0.3, 0.3})); p != 0 || interval.Low != interval.High || math.Abs(interval.Low-0.2) > 1e-12 {
		t.Errorf("other: p = %g, %+v", p, interval)
	}
}

// Holm's procedure as in its common example (Wikipedia, "Holm-Bonferroni
// method"): of 0.01, 0.04, 0.03, 0.005 the first and last are significant.
func TestHolm(t *testing.T) {
	for _, test := range []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.04}, []float64{0.04}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.6, 0.5}, []float64{1, 1}},
	} {
		got := Holm(test.p)
		for i := range got {
			got[i] = math.Round(got[i]*1e12) / 1e12
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.p, got, test.want)
		}
	}
}

// Adjusting never makes a probability smaller or changes the order.
func TestHolmIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Fatalf("%g became %g", p[i], adjusted[i])
			}
			for k := range p {
				if p[i] < p[k] && adjusted[i] > adjusted[k] {
					t.Fatalf("%v became %v", p, adjusted)
				}
			}
		}
	})
}

// A sample does not depend on the order of the runs, in no digit.
func TestSampleOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 9).Draw(t, "values")
		other := rapid.Permutation(values).Draw(t, "other")
		if a, b := newSample(values), newSample(other); a != b || a.Mean < slices.Min(values)-1e-6 || a.Mean > slices.Max(values)+1e-6 {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func TestCV(t *testing.T) {
	for _, test := range []struct {
		sample Sample
		want   float64
		known  bool
	}{{Sample{Mean: 4, Std: 1}, 0.25, true}, {Sample{}, 0, true}, {Sample{Mean: -4, Std: 1}, 0.25, true}, {Sample{Std: 1}, 0, false}} {
		if got, known := test.sample.CV(); known != test.known || known && got != test.want {
			t.Errorf("%+v: got %g, %v", test.sample, got, known)
		}
	}
}

// Of 4000 experiments without an effect, Welch's interval holds the difference in 95 % and p is below 5 % in 5 %,
// although sizes and variances differ. That is to four standard errors and a point, because the degrees of freedom
// are an approximation.
func TestWelchCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int, std float64) Sample {
		values := make([]float64, n)
		for i := range values {
			values[i] = 10 + std*random.NormFloat64()
		}
		return newSample(values)
	}
	const experiments = 4000
	held, significant := 0, 0
	for range experiments {
		interval, p := welch(draw(5, 1), draw(7, 3))
		if interval.Low <= 0 && 0 <= interval.High {
			held++
		}
		if p < 0.05 {
			significant++
		}
	}
	if held+significant != experiments {
		t.Errorf("interval and probability disagree: %d and %d", held, significant)
	}
	if share := float64(held) / experiments; math.Abs(share-0.95) > 0.024 {
		t.Errorf("the interval holds the difference in %g of the experiments", share)
	}
}
