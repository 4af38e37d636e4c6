package metric

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
)

// agentCycle is the cost of the agent's passes in real seconds: snapshot, bids,
// solve and release together. P99 is the nearest-rank percentile: the smallest
// cost that at least 99 % of the passes do not exceed.
func agentCycle(cycles []trace.Cycle) CycleCost {
	seconds := make([]float64, len(cycles))
	for i, c := range cycles {
		seconds[i] = (c.SnapshotMS + c.BidsMS + c.SolveMS + c.ReleaseMS) / 1000
	}
	slices.Sort(seconds)
	mean := meanStd(seconds).Mean
	rank := int(math.Ceil(0.99 * float64(len(seconds))))
	return CycleCost{Mean: &mean, P99: &seconds[rank-1], Max: &seconds[len(seconds)-1]}
}

// backfillCycle is the cost of Slurm's backfill passes in real seconds, from
// sdiag's microseconds. slurmctld reads its own clock: a scaled clock makes its
// thinking look longer by the time scale, a jump clock shorter by the think
// scale. All is unknown without sdiag or before the first pass.
func backfillCycle(run trace.Run, sdiag *trace.Sdiag) CycleCost {
	if sdiag == nil || sdiag.Cycles == 0 {
		return CycleCost{}
	}
	perSecond := 1e6
	switch run.Clock {
	case trace.ClockScaled:
		perSecond *= run.TimeScale
	case trace.ClockJump:
		perSecond /= run.ThinkScale
	}
	mean, largest := float64(sdiag.MeanMicros)/perSecond, float64(sdiag.MaxMicros)/perSecond
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
