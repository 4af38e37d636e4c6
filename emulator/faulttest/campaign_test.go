package faulttest

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/results/trace"
)

var (
	oneSeed = flag.Uint64("seed", 0, "play this seed alone and print what happens (0: all)")
	seeds   = flag.Uint64("seeds", 1000, "play the seeds from 1 to this one")
)

// enough seeds that fail end the campaign: to shrink them takes a while.
const enough = 5

// Whatever the nemesis does, no invariant is broken.
func TestCampaign(t *testing.T) {
	first, last := uint64(1), *seeds
	if hosttest.Brief() {
		last = min(last, 100)
	}
	if *oneSeed > 0 {
		first, last = *oneSeed, *oneSeed
	}
	counts, failed := map[string]int{}, 0
	for seed := first; seed <= last && failed < enough; seed++ {
		s := newScenario(seed)
		out := play(t, s, nil)
		for _, h := range out.steps {
			counts[string(h.fault)]++
		}
		counts["runs "+string(out.status)]++
		if *oneSeed > 0 {
			t.Logf("%d jobs on %+v, cycles every %v\n%s", len(s.jobs), s.machine, s.interval, lines(out.steps))
		}
		if len(out.faults) > 0 {
			failed++
			least := shrink(t, s, out)
			t.Errorf("seed %d breaks invariants (go test ./emulator/faulttest -v -seed %d):\n%s\nafter\n%s",
				seed, seed, strings.Join(least.faults[:min(len(least.faults), 10)], "\n"), lines(least.steps))
		}
	}
	t.Logf("seeds %d to %d: %v", first, last, counts)
	if *oneSeed == 0 && failed == 0 && counts["runs "+string(trace.StatusComplete)]*10 < counts["runs "+string(trace.StatusFailed)] {
		t.Error("hardly a run is complete: the faults hide what comes after the first")
	}
}

// shrink leaves out one step after the other as long as an invariant is broken, until
// none can be left out.
func shrink(t *testing.T, s scenario, out outcome) outcome {
	without := map[step]bool{}
	for before := math.MaxInt; len(out.steps) < before; {
		before = len(out.steps)
		for i := 0; i < len(out.steps); {
			at := out.steps[i].step
			without[at] = true
			less := play(t, s, without)
			if len(less.faults) > 0 {
				out = less
				continue
			}
			delete(without, at)
			i++
		}
	}
	return out
}

func lines(steps []happened) string {
	var b strings.Builder
	for _, h := range steps {
		fmt.Fprintf(&b, "  %v\n", h)
	}
	return b.String()
}

// A seed is the same scenario with the same faults each time.
func TestSeedIsDeterministic(t *testing.T) {
	for seed := uint64(1); seed <= 30; seed++ {
		s := newScenario(seed)
		one, two := play(t, s, nil), play(t, s, nil)
		if lines(one.steps) != lines(two.steps) || one.status != two.status {
			t.Errorf("seed %d: %q\n%s\nand then %q\n%s", seed, one.status, lines(one.steps), two.status, lines(two.steps))
		}
	}
}
