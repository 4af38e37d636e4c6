package agent

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Priorities fall, no number is one that slurm.h gives a meaning (0 is a hold, INFINITE 2^32 - 1, NO_VAL 2^32 - 2), and no other
// choice changes fewer jobs.
func TestRanked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{6, 12, highestPriority}).Draw(t, "most")
		had := rapid.SliceOfN(rapid.OneOf(rapid.Just(0), rapid.IntRange(0, most), rapid.IntRange(highestPriority-6, highestPriority)), 0, 8).Draw(t, "had")
		got := ranked(had)
		changed := 0
		for i, p := range got {
			if p < 1 || p > highestPriority || i > 0 && p >= got[i-1] {
				t.Fatalf("%v of %v", got, had)
			}
			if p != had[i] {
				changed++
			}
		}
		if least := leastChanges(had); changed != least {
			t.Errorf("%v of %v changes %d, and %d are enough", got, had, changed, least)
		}
	})
}

// leastChanges tries each set of jobs that keep their priorities.
func leastChanges(had []int) int {
	n := len(had)
	least := n
	for kept := range 1 << n {
		at, fits, changes := -1, true, 0
		above := highestPriority + 1
		for i := range n {
			if kept&(1<<i) == 0 {
				changes++
				continue
			}
			fits = fits && had[i] > 0 && above-had[i] >= i-at
			at, above = i, had[i]
		}
		if fits && above >= n-at {
			least = min(least, changes)
		}
	}
	return least
}

// A queue in which one job overtakes another costs one command, and new jobs at the end one each.
func TestRankedChangesFew(t *testing.T) {
	first := ranked(make([]int, 100))
	moved := slices.Concat(first[:40], first[90:91], first[40:90], first[91:], make([]int, 5))
	changed := 0
	for i, p := range ranked(moved) {
		if p != moved[i] {
			changed++
		}
	}
	if changed != 6 {
		t.Errorf("%d changes, want 6", changed)
	}
}
