package compare

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
)

// The figure of CONSORT's extension to non-inferiority trials (Piaggio et al., JAMA 308, 2012, figure 1): where the interval of
// the difference lies by zero and by the margin.
func TestStandingOf(t *testing.T) {
	for name, c := range map[string]struct {
		better   metric.Direction
		interval Interval
		want     Standing
	}{
		"better":                    {metric.Lower, Interval{-0.2, -0.1}, NotWorse},
		"the same":                  {metric.Lower, Interval{0, 0}, Open},
		"within the margin":         {metric.Lower, Interval{-0.04, 0.04}, NotWorse},
		"worse, within the margin":  {metric.Lower, Interval{0.01, 0.04}, NotWorse},
		"may be beyond the margin":  {metric.Lower, Interval{-0.04, 0.06}, Open},
		"may be much better":        {metric.Lower, Interval{-0.5, 0.06}, Open},
		"worse":                     {metric.Lower, Interval{0.01, 0.2}, Worse},
		"worse beyond":              {metric.Lower, Interval{0.06, 0.2}, Worse},
		"more is better":            {metric.Higher, Interval{0.06, 0.2}, NotWorse},
		"less where more is better": {metric.Higher, Interval{-0.2, -0.01}, Worse},
	} {
		if got := StandingOf(c.better, c.interval, 0.05, enoughSigns-1); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Equal differences have an interval of one point. As for verdicts (enoughSigns), they show nothing in fewer than six pairs, whether
// they are 0 or not.
func TestEqualDifferencesStandOpen(t *testing.T) {
	for pairs, few := range map[int]bool{2: true, 5: true, 6: false, 20: false} {
		for interval, want := range map[Interval]Standing{{0, 0}: NotWorse, {0.04, 0.04}: NotWorse, {0.2, 0.2}: Worse, {-0.1, -0.1 + 1e-15}: NotWorse} {
			if few {
				want = Open
			}
			if got := StandingOf(metric.Lower, interval, 0.05, pairs); got != want {
				t.Errorf("%+v of %d pairs: got %q, want %q", interval, pairs, got, want)
			}
		}
	}
}

// Where nobody waits on side a there is no relative difference: the difference itself has a standing, instead of none.
func TestStandingsBesideNothing(t *testing.T) {
	nothing := []float64{0, 0, 0, 0}
	for want, b := range map[Standing][]float64{Worse: {5, 6, 7, 6}, Open: {0, 0, 9, 0}, NotWorse: {-5, -6, -7, -6}} {
		if got := measured(nothing, b).Evidence()[0].Standing; got != want {
			t.Errorf("%v: got %q, want %q", b, got, want)
		}
	}
}

// A wider interval never shows what a narrower one around the same value does not, and a larger margin never takes a
// claim back.
func TestStandingIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		middle, half, more := rapid.Float64Range(-0.5, 0.5).Draw(t, "middle"), rapid.Float64Range(1e-6, 0.5).Draw(t, "half"), rapid.Float64Range(0, 0.5).Draw(t, "more")
		margin := rapid.Float64Range(0, 0.3).Draw(t, "margin")
		narrow := StandingOf(metric.Lower, Interval{middle - half, middle + half}, margin, 4)
		wide := StandingOf(metric.Lower, Interval{middle - half - more, middle + half + more}, margin, 4)
		if wide == NotWorse && narrow != NotWorse || wide == Worse && narrow == Open {
			t.Fatalf("wide %s, narrow %s", wide, narrow)
		}
		if narrow == NotWorse && StandingOf(metric.Lower, Interval{middle - half, middle + half}, margin+more, 4) != NotWorse {
			t.Fatal("a larger margin takes the claim back")
		}
	})
}

// Each margin is of a metric that says which policy is better, and there once.
func TestMarginsAreOfMetrics(t *testing.T) {
	var keys []string
	for _, m := range margins() {
		if slices.Contains(keys, m.Key) || metric.FindMeasure(m.Key).Better == metric.Neither || m.Part <= 0 || m.Part > 0.1 {
			t.Errorf("margin %+v", m)
		}
		keys = append(keys, m.Key)
	}
}

// A side that waits 4 to 6 % longer on pairs of 100 s is worse by the margin, although Holm's correction over many metrics
// hides it.
func TestStandingsAreNotCorrected(t *testing.T) {
	a, b := []float64{100, 110, 90, 105}, []float64{106, 117, 94, 110}
	c := measured(a, b)
	e := c.Evidence()
	if e[0].Standing != Worse {
		t.Errorf("got %+v, interval %+v", e[0], e[0].Interval)
	}
	if got := c.standings(e); got != " By margin (parts of the mean of old), without correction, new is worse in waiting time (5 %)." {
		t.Errorf("got %q", got)
	}
	for i := range 30 {
		c.Differences = append(c.Differences, c.difference(metric.FindMeasure("spread"), []float64{1, 2, 3, 4}, []float64{1.5, 1, 3.5 + float64(i)/100, 4}))
	}
	e = c.Evidence()
	if e[0].Standing != Worse || e[0].Holm < significance || !strings.Contains(c.findings(), "corrected by Holm for 31 metrics") {
		t.Errorf("got %+v, %s", e[0], c.findings())
	}
}
