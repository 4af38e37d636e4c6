package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/metric"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -3: "−3", 0.0004: "0.000", -0.0004: "0.000", 1.23456: "1.235", 12.3456: "12.35",
		123.456: "123.5", 1234.56: "1235", 1e9: "1000000000", math.Inf(1): nothing,
	} {
		if got := number(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
	if got := number(math.NaN()); got != nothing {
		t.Errorf("NaN: %q", got)
	}
	if got := meanStd(metric.MeanStd{Mean: 123.45, Std: 7}); got != "123.5 ± 7.0" {
		t.Errorf("mean and deviation %q", got)
	}
}

// A number on the page is the number of the run to three digits or a
// thousandth.
func TestNumberIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e12, 1e12).Draw(t, "v")
		back, err := strconv.ParseFloat(strings.Replace(number(v), "−", "-", 1), 64)
		if err != nil || math.Abs(back-v) > math.Max(0.0006, 0.0006*math.Abs(v)) {
			t.Fatalf("%g is shown as %s (%v)", v, number(v), err)
		}
	})
}

func TestDifference(t *testing.T) {
	less, more := metric.Measure{Better: metric.Lower}, metric.Measure{Better: metric.Higher}
	fraction, none := metric.Measure{Better: metric.Higher, Unit: metric.Percent}, metric.Measure{}
	for _, c := range []struct {
		from, to    float64
		m           metric.Measure
		text, class string
	}{
		{200, 150, less, "−25.0 %", "better"},
		{200, 250, less, "+25.0 %", "worse"},
		{200, 250, more, "+25.0 %", "better"},
		{200, 150, more, "−25.0 %", "worse"},
		{0.5, 0.6, fraction, "+10.0 points", "better"},
		{0.01, 0.6, fraction, "+59.0 points", "better"},
		{0, 0.6, fraction, "+60.0 points", "better"},
		{200, 200.01, less, "0.0 %", ""},
		{0, 0, less, "0.0 %", ""},
		{0, 3, less, "", ""},
		{0.002, 0.05, less, "× 25", "worse"},
		{1, 2, none, "", ""},
		{math.NaN(), 2, less, "", ""},
		{2, math.NaN(), less, "", ""},
	} {
		text, class := difference(c.from, c.to, c.m)
		if text != c.text || class != c.class {
			t.Errorf("%g to %g: %q %q, want %q %q", c.from, c.to, text, class, c.text, c.class)
		}
	}
}
