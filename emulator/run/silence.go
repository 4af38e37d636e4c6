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

// silence returns true as soon as signs has not changed for so many seconds, false
// when ctx ends before.
//
// It counts looks and not time: after this process itself was stopped for a while it
// must first hear what has been said meanwhile.
func silence(ctx context.Context, signs *atomic.Int64, seconds int) bool {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	last := signs.Load()
	for quiet := 0; quiet < seconds; quiet++ {
		select {
		case <-look.C:
		case <-ctx.Done():
			return false
		}
		if heard := signs.Load(); heard != last {
			// The loop adds one.
			last, quiet = heard, -1
		}
	}
	return true
}

// silentError says that a cluster is dead because it has been silent, and what its
// runtime knows of it.
func silentError(ctx context.Context, cluster Cluster, seconds int) error {
	found, err := cluster.State(ctx)
	state := fmt.Sprintf("its container is %s", found.Status)
	if err != nil {
		state = fmt.Sprintf("the engine does not tell the state of its container: %v", err)
	}
	return fmt.Errorf("slurmlabd gave no sign of life for %d s; %s", seconds, state)
}
