package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

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
	for i, differences := range metrics {
		c.Differences = append(c.Differences, pairedFrom(float64(10+i), "makespan_s", differences))
	}
	return c
}

// pairedIn is a metric of paired.
func pairedIn(key string, differences []float64) MetricDifference {
	return pairedFrom(10, key, differences)
}

// pairedFrom is a metric whose first value is this one: equal differences of unlike metrics have unlike values.
func pairedFrom(first float64, key string, differences []float64) MetricDifference {
	c := Comparison{Kind: Seeds}
	c.A, c.B = "old", "new"
	a, b := make([]float64, len(differences)), make([]float64, len(differences))
	for i, d := range differences {
		a[i], b[i] = first+float64(i), first+float64(i)+d
	}
	return c.difference(metric.FindMeasure(key), a, b)
}

// Student's paired t test: the table of Student 1908 ("The Probable Error of a Mean", additional hours of sleep). It
// has a mean of 1.58, a standard deviation of 1.23 and, in today's form, t = 4.0621 with 9 degrees of freedom and p =
// 0.00283. The one large value makes the sample skewed; the test is the same for every sample.
func TestEvidenceOfStudent(t *testing.T) {
	c := paired([]float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4})
	got := c.evidence(c.Differences[0])
	sample := newSample(c.Differences[0].pairs)
	if got.Method != Student || math.Abs(got.P-0.00283) > 1e-5 || math.Abs(got.Effect-sample.Mean/sample.Std*(1-3.0/35)) > 1e-12 {
		t.Errorf("got %+v", got)
	}
	// R has 0.7001142 and 2.4598858.
	if math.Abs(got.Interval.Low-0.7001) > 1e-4 || math.Abs(got.Interval.High-2.4599) > 1e-4 {
		t.Errorf("got the interval %+v", got.Interval)
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
		"corrected":            {paired(clear, weak, none), []string{"new, by 17 %", "new, by 11 %, or chance", "no difference shown"}},
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

// More seeds are asked for where no difference is shown, and nowhere else.
func TestNeededOnlyWhereNotShown(t *testing.T) {
	for _, differences := range [][]float64{{0.1, 0.2, 0.1, 0.15, 0.1, 0.12, 0.2, 0.3, 0.1, 0.14}, {-2, 1, 3, -1, 0.2}} {
		c := paired(differences)
		row := groupRow{Grouped{Comparison: c}, c.Differences[0], c.Evidence()[0]}
		_, asked := row.needed()
		if shown := row.e.Holm < significance; asked == shown {
			t.Errorf("%v: shown %v (p %g), more asked for %v", differences, shown, row.e.Holm, asked)
		}
	}
}

// One sentence says what a group shows. It calls a finding by p alone weaker, and counts details.
func TestFinding(t *testing.T) {
	clear := []float64{-2, -2.1, -1.9, -2.05, -1.95}
	weak := []float64{-2, -1, -3, -0.2, -1.2}
	none := []float64{-2, 1, 3, -1, 0.2}
	const test = " Test: Student's paired t at 5 %, corrected by Holm for "
	detailed := paired(clear, none)
	for _, differences := range [][]float64{clear, none} {
		detailed.Differences = append(detailed.Differences, pairedIn("turnaround_s", differences))
	}
	for want, c := range map[string]Comparison{
		"new is better in makespan by 17 %; 1 other metric differs only if it is judged alone, which may be chance; no difference is shown in 1 metric." + test + "3 metrics.": paired(clear, weak, none),
		"1 metric differs only if it is judged alone, which may be chance; no difference is shown in 3 metrics." + test + "4 metrics.":                                         paired(weak, none, none, none),
		"2 metrics differ only if each is judged alone, which may be chance; no difference is shown in 3 metrics." + test + "5 metrics.":                                       paired(weak, weak, none, none, none),
		"new is better in makespan by 17 %; no difference is shown in 1 metric." + test + "2 metrics.":                                                                         paired(clear, none),
		"new is better in makespan by 17 % and 1 detail; no difference is shown in 2 metrics." + test + "2 metrics, and apart for 2 details.":                                  detailed,
	} {
		if got := (Grouped{Name: "V.2", Comparison: c}).Finding(); !strings.HasSuffix(got, ": "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Details take no power of the main metrics: a difference among 12 main metrics has the same verdict beside 40 details, and
// the details are corrected for their own number (docs/design/043-verdicts.md).
func TestFamiliesAreCorrectedApart(t *testing.T) {
	all := Tests{By: StudentsPaired, Noun: "metric"}
	for i := range 12 {
		all.All = append(all.All, Test{Better: "new", Family: Main, P: []float64{0.004, 0.5}[min(i, 1)]})
	}
	if got := all.Rulings()[0].Holm; math.Abs(got-0.048) > 1e-12 {
		t.Errorf("12 main metrics: got %g, want 0.048", got)
	}
	for i := range 40 {
		all.All = append(all.All, Test{Better: "new", Family: Detail, P: []float64{0.004, 0.5}[min(i, 1)]})
	}
	rulings := all.Rulings()
	if math.Abs(rulings[0].Holm-0.048) > 1e-12 || math.Abs(rulings[12].Holm-0.16) > 1e-12 {
		t.Errorf("beside 40 details: got %g and %g, want 0.048 and 0.16", rulings[0].Holm, rulings[12].Holm)
	}
	if !strings.HasSuffix(rulings[12].Words, OrChance) || strings.HasSuffix(rulings[0].Words, OrChance) {
		t.Errorf("got the verdicts %q and %q", rulings[0].Words, rulings[12].Words)
	}
}

// Metrics with the same values in all pairs, as two utilisations of the only GPU type, are one test. It has the
// same verdict once or three times, and the rule names what is not counted (docs/design/043-verdicts.md).
func TestEqualMetricsCountOnce(t *testing.T) {
	clear, none := []float64{-2, -2.1, -1.9, -2.05, -1.95}, []float64{-2, 1, 3, -1, 0.2}
	once, twice := paired(clear, none), paired(clear, none)
	for range 2 {
		twice.Differences = append(twice.Differences, pairedFrom(10, "makespan_s", clear))
	}
	for i, e := range twice.Evidence() {
		if want := once.Evidence()[i%2*(1-i/2)].Holm; e.Holm != want {
			t.Errorf("metric %d: p (Holm) is %g, want %g as without the repeated ones", i, e.Holm, want)
		}
	}
	const want = "corrected by Holm for 2 metrics (2 more have the values of another in all runs and are not counted)."
	if got := (Grouped{Name: "V.2", Comparison: twice}).Finding(); !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want an end of %q", got, want)
	}
	// The same differences of other values are another test.
	other := paired(clear, none)
	other.Differences = append(other.Differences, pairedFrom(30, "makespan_s", clear))
	if got, want := other.Evidence()[0].Holm, 3*other.Evidence()[0].P; math.Abs(got-want) > 1e-9 {
		t.Errorf("beside a metric of other values: p (Holm) is %g, want %g", got, want)
	}
}

// Where all metrics are equal nothing is tested, so no rule is named.
func TestNothingToTest(t *testing.T) {
	c := Comparison{Kind: Seeds, Seeds: []uint64{1, 2}}
	c.Differences = append(c.Differences, c.difference(metric.FindMeasure("waiting_s"), []float64{3, 3}, []float64{3, 3}))
	if got := c.findings(); got != "1 metric without any difference." {
		t.Errorf("got %q", got)
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
