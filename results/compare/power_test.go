package compare

import (
	"testing"

	"pgregory.net/rapid"
)

// The numbers for a paired t test with a power of 80 % at 5 %, two-sided, by its exact (non-central t) power.
// power.t.test of R gives them for a difference of 1 and these standard deviations: 199, 34, 15, 10 and 5.
func TestNeeded(t *testing.T) {
	for s, want := range map[float64]int{5: 199, 2: 34, 1.25: 15, 1: 10, 0.5: 5, 0: 2} {
		for _, mean := range []float64{1, -1} {
			if got, ok := needed(mean, s); got != want || !ok {
				t.Errorf("deviation %g, mean %g: got %d, %v, want %d", s, mean, got, ok, want)
			}
		}
	}
	if n, ok := needed(0, 1); ok {
		t.Errorf("no difference: got %d", n)
	}
	if n, ok := needed(1, 1000); ok {
		t.Errorf("a tiny difference: got %d", n)
	}
}

// As many differences as there are never suffice where their interval holds zero.
func TestNeededIsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 30).Draw(t, "differences")
		mean, interval := MeanInterval(values)
		if interval.Low > 0 || interval.High < 0 || mean == 0 {
			return
		}
		if n, ok := needed(mean, newSample(values).Std); ok && n <= len(values) {
			t.Fatalf("%d of %g are needed, there are %d", n, mean, len(values))
		}
	})
}
