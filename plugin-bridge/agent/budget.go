package agent

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Shrink says what becomes smaller when a solution ends at its time limit.
type Shrink string

const (
	// ShrinkNothing keeps window and bids as they are.
	ShrinkNothing Shrink = "nothing"
	// ShrinkWindow is IPSCHED's: "the number of jobs in the window is halved for
	// the next scheduling interval" (section IV).
	ShrinkWindow Shrink = "window"
	// ShrinkBids is the rule of the published AUCSCHED plug-in, which divides the limit on bids by 1.5.
	ShrinkBids Shrink = "bids"
)

// factor is what a size is divided by and multiplied with.
func (s Shrink) factor() float64 {
	switch s {
	case ShrinkWindow:
		return 2
	case ShrinkBids:
		return 1.5
	default:
		return 1
	}
}

// budget is the size of the next decision. It shrinks when a solution ends at its
// limit, and grows back, up to what the options say, when
//
//   - the last solution was proven optimal in at most 1/factor^2 of the limit, so
//     that the larger program ends in time if the time grows with the square of the
//     size; and
//   - the cluster has changed since. Otherwise the larger size would be tried at
//     once, and a cycle in which nothing has changed would not decide what the one
//     before it did, against Agent.Settled.
//
// The papers do not say how the window grows back; AUCSCHED3's bids grow by 1.5.
type budget struct {
	window, bids         int
	fullWindow, fullBids int
	shrink               Shrink
	limit                time.Duration
	// quick says that the last solution was quick enough for a larger size; held and
	// free are the cluster that it was for.
	quick bool
	held  []int
	free  [][2]int
}

func newBudget(window, bids int, shrink Shrink, limit time.Duration) budget {
	return budget{window: window, bids: bids, fullWindow: window, fullBids: bids, shrink: shrink, limit: limit}
}

// grow makes the size larger before a decision, if both conditions hold.
func (b *budget) grow(state State, free []machine.Node) {
	if b.shrink.factor() == 1 {
		return
	}
	held := make([]int, len(state.Held))
	for i, h := range state.Held {
		held[i] = h.ID
	}
	now := make([][2]int, len(free))
	for i, n := range free {
		now[i] = [2]int{n.FreeCores, n.FreeGPUs}
	}
	if b.quick && (!slices.Equal(held, b.held) || !slices.Equal(now, b.free)) {
		b.scale(b.shrink.factor())
	}
	b.held, b.free, b.quick = held, now, false
}

// learn makes the size smaller after a solution that ended at its limit or lost its process, since the same program
// may lose it again. It notes a quick one. took is in real time.
func (b *budget) learn(status program.Status, took time.Duration) {
	factor := b.shrink.factor()
	switch status {
	case program.StatusTimeLimit, program.StatusAbandoned, program.StatusWorkerLost:
		b.scale(1 / factor)
	case program.StatusOptimal, program.StatusEnough:
		b.quick = took.Seconds() <= b.limit.Seconds()/(factor*factor)
	}
}

// scale changes the size that shrinks, between 1 and the full one.
func (b *budget) scale(by float64) {
	to := func(size, full int) int {
		scaled := int(float64(size) * by)
		if by > 1 {
			// A size of 1 must grow as well.
			scaled = max(scaled, size+1)
		}
		return min(max(1, scaled), full)
	}
	switch b.shrink {
	case ShrinkWindow:
		b.window = to(b.window, b.fullWindow)
	case ShrinkBids:
		b.bids = to(b.bids, b.fullBids)
	}
}
