package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
)

// paired is a comparison over pairs with these differences, metric by metric.
func paired(metrics ...[]float64) Comparison {
	c := Comparison{Kind: Seeds}
	c.A, c.B = "old", "new"
	for i := range metrics[0] {
		c.Seeds = append(c.Seeds, uint64(i+1))
	}
	for _, differences := range metrics {
		a, b := make([]float64, len(differences)), make([]float64, len(differences))
		for i, d := range differences {
			a[i], b[i] = 10+float64(i), 10+float64(i)+d
		}
		c.Differences = append(c.Differences, c.difference(metric.FindMeasure("runtime_s"), a, b))
	}
	return c
}

// Student's paired t test: the table of Student 1908 ("The Probable Error of a Mean",
// additional hours of sleep) has a mean of 1.58, a standard deviation of 1.23 and, in today's form, t = 4.0621
// with 9 degrees of freedom and p = 0.00283.
func TestEvidenceOfStudent(t *testing.T) {
	e := paired([]float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}).evidence
	sleep := paired([]float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}).Differences[0]
	got := e(sleep)
	// The one large value makes these differences skewed, so that the interval is
	// longer above than below the mean.
	if got.Method != Bootstrap || got.Interval.High-1.58 <= 1.58-got.Interval.Low {
		t.Errorf("got %+v %+v, want a skewed interval", got, got.Interval)
	}
	sleep.pairs = sleep.pairs[:7]
	got = e(sleep)
	sample := newSample(sleep.pairs)
	if got.Method != Student || math.Abs(got.Effect-sample.Mean/sample.Std*(1-3.0/23)) > 1e-12 {
		t.Errorf("got %+v", got)
	}
	want := 2 * distuv.StudentsT{Sigma: 1, Nu: 6}.CDF(-sample.Mean/(sample.Std/math.Sqrt(7)))
	if math.Abs(got.P-want) > 1e-12 {
		t.Errorf("got p %g, want %g", got.P, want)
	}
}

// Interval and probability agree: one excludes zero where the other is below 5 %.
func TestBootstrapAgreesWithItself(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		var values []float64
		for range 12 {
			values = append(values, math.Exp(1.5*random.NormFloat64())-1.5)
		}
		interval, p := bootstrapT(values, newSample(values))
		excludes := interval.Low > 0 || interval.High < 0
		if excludes != (p < 0.05) && math.Abs(p-0.05) > 0.002 {
			t.Errorf("interval %v, p %g", interval, p)
		}
	}
}

// The interval of skewed differences holds the true mean about as often as it says, and more often than
// Student's.
func TestBootstrapCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, trials = 20, 300
	trueMean := math.Exp(0.5)
	student, bootstrap := 0, 0
	for range trials {
		var values []float64
		for range n {
			values = append(values, math.Exp(random.NormFloat64()))
		}
		_, s := MeanInterval(values)
		b, _ := bootstrapT(values, newSample(values))
		if s.Low <= trueMean && trueMean <= s.High {
			student++
		}
		if b.Low <= trueMean && trueMean <= b.High {
			bootstrap++
		}
	}
	if bootstrap <= student || bootstrap < trials*88/100 {
		t.Errorf("of %d intervals %d by Student and %d by bootstrap hold the true mean", trials, student, bootstrap)
	}
}

// A policy against itself: with Holm's correction a comparison of 16 metrics calls any difference
// in at most about 5 % of all cases, without it in more than half of them.
func TestVerdictsDoNotCryWolf(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const trials = 200
	wolf, plain := 0, 0
	for range trials {
		var metrics [][]float64
		for range 16 {
			var d []float64
			for range 7 {
				d = append(d, random.NormFloat64())
			}
			metrics = append(metrics, d)
		}
		anyHolm, anyP := false, false
		for _, e := range paired(metrics...).Evidence() {
			anyHolm, anyP = anyHolm || e.Holm < significance, anyP || e.P < significance
		}
		if anyHolm {
			wolf++
		}
		if anyP {
			plain++
		}
	}
	if wolf > trials/10 || plain < trials/3 {
		t.Errorf("of %d comparisons of equals %d call a difference, %d without correction", trials, wolf, plain)
	}
}

func TestVerdictsInWords(t *testing.T) {
	clear := []float64{-2, -2.1, -1.9, -2.05, -1.95}
	weak := []float64{-2, -1, -3, -0.2, -1.2}
	none := []float64{-2, 1, 3, -1, 0.2}
	for name, c := range map[string]struct {
		of   Comparison
		want []string
	}{
		"corrected":            {paired(clear, weak, none), []string{"new, by 17 %", "new, by 12 %, or chance", "no difference shown"}},
		"one pair":             {paired([]float64{-3}), []string{"one pair, no verdict"}},
		"equal signs, too few": {paired([]float64{-1, -1, -1}), []string{"no difference shown"}},
		"equal signs":          {paired([]float64{-1, -1, -1, -1, -1, -1}), []string{"new, by 8.0 %"}},
	} {
		for i, e := range c.of.Evidence() {
			if e.Verdict != c.want[i] {
				t.Errorf("%s: got %q (p %g, Holm %g), want %q", name, e.Verdict, e.P, e.Holm, c.want[i])
			}
		}
	}
}

// More seeds are asked for where no difference is shown, and nowhere else: these skewed
// differences are shown by the bootstrap and not by Student's interval.
func TestNeededOnlyWhereNotShown(t *testing.T) {
	skew := []float64{0.1, 0.2, 0.1, 0.15, 0.1, 0.12, 0.2, 2.5, 0.1, 0.14}
	for _, differences := range [][]float64{skew, {-2, 1, 3, -1, 0.2}} {
		c := paired(differences)
		row := groupRow{Grouped{Comparison: c}, c.Differences[0], c.Evidence()[0]}
		_, asked := row.needed()
		if shown := row.e.Holm < significance; asked == shown {
			t.Errorf("%v: shown %v (p %g), more asked for %v", differences, shown, row.e.Holm, asked)
		}
	}
	if e := paired(skew).Evidence()[0]; e.Method != Bootstrap || e.Holm >= significance {
		t.Errorf("got %+v, want a difference shown by the bootstrap", e)
	}
}

// What a group shows is said in one sentence, and what only p alone shows is said to be less.
func TestFinding(t *testing.T) {
	clear := []float64{-2, -2.1, -1.9, -2.05, -1.95}
	weak := []float64{-2, -1, -3, -0.2, -1.2}
	none := []float64{-2, 1, 3, -1, 0.2}
	for want, c := range map[string]Comparison{
		"new is better in runtime by 17 %; 1 other metric differs only if it is judged alone, which may be chance.":                paired(clear, weak, none),
		"no difference is shown when all metrics are counted; 1 metric differs only if it is judged alone, which may be chance.":   paired(weak, none, none, none),
		"no difference is shown when all metrics are counted; 2 metrics differ only if each is judged alone, which may be chance.": paired(weak, weak, none, none, none),
		"new is better in runtime by 17 %.": paired(clear, none),
	} {
		if got := (Grouped{Name: "V.2", Comparison: c}).Finding(); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The probability of a mean says the same as its interval, and more: below 0.05 where the interval leaves zero out. Values that do not
// differ are judged by their signs: four of four on one side happen once in eight times by chance.
func TestMeanP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 3), 2, 12).Draw(t, "values")
		if s := newSample(values); s.steady() {
			t.Skip("no deviation")
		}
		_, interval := MeanInterval(values)
		outside := interval.Low > 0 || interval.High < 0
		if p := MeanP(values); (p < 0.05) != outside && math.Abs(p-0.05) > 1e-9 {
			t.Fatalf("p %g, interval %v", p, *interval)
		}
	})
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{0, 0}, 1}, {[]float64{2, 2, 2, 2}, 0.125}, {[]float64{1}, math.NaN()}, {nil, math.NaN()}} {
		if p := MeanP(test.values); p != test.want && !(math.IsNaN(p) && math.IsNaN(test.want)) {
			t.Errorf("%v: got %g, want %g", test.values, p, test.want)
		}
	}
}
