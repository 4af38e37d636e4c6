package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// silenceLimit is for how many seconds slurmlabd, which gives a sign of life every
// emulator.AliveInterval, may be silent before its cluster counts as dead. It is
// silent when its container is paused, when it is stopped, and when the engine hangs,
// but not while the solver or Slurm computes, however long.
const silenceLimit = 60

// quiet watches something that speaks all the time, and counts for how long it did not.
//
// It counts looks, one a second, and not time: after this process itself was stopped for a while it must first hear
// what has been said meanwhile.
type quiet struct {
	signs atomic.Int64
	// looks are the long silences together, in seconds. They are read when the watch has ended.
	looks int
}

// dead returns true as soon as no sign has come for so many seconds, false when ctx ends before.
func (q *quiet) dead(ctx context.Context, seconds int) bool {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	last, now := q.signs.Load(), 0
	defer func() { q.add(now) }()
	for now < seconds {
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
		now++
		if heard := q.signs.Load(); heard != last {
			q.add(now)
			last, now = heard, 0
		}
	}
	return true
}

// add takes a silence of so many looks, if it was a long one.
func (q *quiet) add(looks int) {
	if time.Duration(looks)*time.Second > longGap {
		q.looks += looks
	}
}

// silentError says that a cluster is dead because it has been silent, and what its
// engine knows of it.
func silentError(ctx context.Context, cluster Cluster, seconds int) error {
	found, err := cluster.State(ctx)
	state := fmt.Sprintf("its container is %s", found.Status)
	if err != nil {
		state = fmt.Sprintf("the engine does not tell the state of its container: %v", err)
	}
	return fmt.Errorf("slurmlabd gave no sign of life for %d s; %s", seconds, state)
}
