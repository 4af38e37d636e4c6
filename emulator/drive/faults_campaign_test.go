package drive_test

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

// The fault campaign in memory breaks a cluster on purpose and looks whether jobs are lost, started twice or left waiting.
//
//	seed --> scenario (machine, jobs, mishaps)
//	drive.Keep or Driver, agent, parsers --> session, nemesis --> slurmtest.Cluster
//	                                           faults of commands     |
//	                  checker <-- starts and ends, from the cluster --+
//
// What runs is the real code: the loops of package drive, the agent, and the texts of Slurm's commands that slurmctl
// builds and reads. Below them the nemesis makes commands fail. They are refused, unanswered, timed out before or
// after they took effect, answered with a garbled, a cut or an old text, or slowly. It kills the agent in the middle
// of a release, and reports ends of jobs twice or never. Jobs fail, and nodes stay COMPLETING. The clock is
// testing/synctest's: nothing sleeps.
//
// Each seed is one scenario. One part of the seeds keeps a cluster (drive.Keep) and
// lets the faults cease after a while, the other drives a run (drive.Driver) with
// one or two faults.
//
// Invariants that the checker holds, by what the cluster itself reports:
//   - No job starts twice, no core and no GPU is held by two jobs at an instant, and
//     no command makes slurmctld crash.
//   - Once the faults have ceased every job ends, within a bound of virtual time, or
//     the agent names its obstacle; what it releases then starts where planned.
//   - A run ends within a bound of virtual time; it is complete only if every job
//     started and ended once and is in sacct.txt, fails only after a fault, and then
//     with a reason, which names the fault if there was one.
//   - The agent promises no core to two jobs that it has released and that have not
//     started.
//   - Each refused release is in the record of its cycle, and each cycle that a command
//     ended says so in its record.
//
// A seed that breaks one is printed with the steps that are needed for it; all others
// were left out one by one. "go test ./emulator/drive -run TestFaultCampaign -v -seed N" plays it again.
//
// The cluster in memory is held against the real Slurm by the contract of slurmtest;
// faults of processes (a killed daemon, a full disk) are not in its reach.
func TestFaultCampaign(t *testing.T) {
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
			t.Errorf("seed %d breaks invariants (go test ./emulator/drive -run TestFaultCampaign -v -seed %d):\n%s\nafter\n%s",
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
