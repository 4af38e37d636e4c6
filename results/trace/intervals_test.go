package trace

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever list of nodes is written as a Batsim interval set, it comes back.
func TestIntervalsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfDistinct(rapid.IntRange(0, 40), rapid.ID[int]).Draw(t, "set")
		slices.Sort(set)
		text := intervals(set)
		got, err := parseIntervals(text)
		if err != nil || !slices.Equal(got, set) {
			t.Fatalf("%v -> %q -> %v, %v", set, text, got, err)
		}
	})
	if got := intervals([]int{0, 1, 2, 3, 7}); got != "0-3 7" {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"3-1", "1 1", "2 1", "a", "1-", "-1", "1  2", "70000"} {
		if got, err := parseIntervals(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
