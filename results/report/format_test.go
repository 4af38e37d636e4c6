package report

import (
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

func TestMeanStd(t *testing.T) {
	if got := meanStd(metric.MeanStd{Mean: 123.45, Std: 7}); got != "123.5 ± 7.0" {
		t.Errorf("mean and deviation %q", got)
	}
}

func TestDifference(t *testing.T) {
	less, more := metric.Measure{Better: metric.Lower}, metric.Measure{Better: metric.Higher}
	fraction, none := metric.Measure{Better: metric.Higher, Unit: metric.Percent}, metric.Measure{}
	for _, c := range []struct {
		from, to float64
		m        metric.Measure
		text     string
	}{
		{200, 150, less, "−25.0 %"},
		{200, 250, less, "+25.0 %"},
		{200, 250, more, "+25.0 %"},
		{200, 150, more, "−25.0 %"},
		{0.5, 0.6, fraction, "+10.0 points"},
		{0.01, 0.6, fraction, "+59.0 points"},
		{0, 0.6, fraction, "+60.0 points"},
		{200, 200.01, less, "0.0 %"},
		{0, 0, less, "0.0 %"},
		{0, 3, less, ""},
		{0.002, 0.05, less, "× 25"},
		{1, 2, none, ""},
		{math.NaN(), 2, less, ""},
		{2, math.NaN(), less, ""},
	} {
		if got := difference(c.from, c.to, c.m); got.Text != c.text || got.Note != "" {
			t.Errorf("%g to %g: %q %q, want %q and no word", c.from, c.to, got.Text, got.Note, c.text)
		}
	}
}
