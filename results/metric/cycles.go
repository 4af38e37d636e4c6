package metric

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// agentCycle is the cost of the agent's passes in real seconds: snapshot, bids,
// solve and release together. Passes in which a program was not asked cost next to nothing and are left out, as the
// auction's idle cycles are. All is unknown without others.
func agentCycle(cycles []trace.Cycle) CycleCost {
	var seconds []float64
	for _, c := range cycles {
		if !c.Waited() {
			seconds = append(seconds, c.Milliseconds()/1000)
		}
	}
	if len(seconds) == 0 {
		return CycleCost{}
	}
	slices.Sort(seconds)
	mean := meanStd(seconds).Mean
	p99 := NearestRank(seconds, 0.99)
	return CycleCost{Mean: &mean, P99: &p99, Max: &seconds[len(seconds)-1]}
}

// NearestRank is the smallest of the ascending values that at least the part p of
// them do not exceed. There must be a value, and p lies between 0 and 1.
func NearestRank(sorted []float64, p float64) float64 {
	return sorted[max(1, int(math.Ceil(p*float64(len(sorted)))))-1]
}

// backfillCycle is the cost of Slurm's backfill passes in real seconds, from sdiag's microseconds. slurmctld reads
// its own clock: a scaled clock makes its computing look longer by the time scale, a jump clock shorter by the CPU
// speed factor. All is unknown without sdiag or before the first pass.
func backfillCycle(run trace.Run, stats *accounting.Sdiag) CycleCost {
	if stats == nil || stats.Cycles == 0 {
		return CycleCost{}
	}
	perSecond := 1e6
	switch run.Clock {
	case trace.ClockScaled:
		perSecond *= run.TimeScale
	case trace.ClockJump:
		perSecond /= run.ThinkScale
	}
	mean, largest := float64(stats.MeanMicros)/perSecond, float64(stats.MaxMicros)/perSecond
	return CycleCost{Mean: &mean, Max: &largest}
}

// placement counts the checked and the exact placements over all cycles.
func placement(cycles []trace.Cycle) *PlacementCount {
	var count PlacementCount
	for _, c := range cycles {
		count.Checked += len(c.Checked)
		for _, p := range c.Checked {
			if p.Exact {
				count.Exact++
			}
		}
	}
	return &count
}
