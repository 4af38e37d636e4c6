package boot

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// brake is what of a clock.Clock HoldWhileStopped uses.
type brake interface {
	Hold()
	Go()
}

// HoldWhileStopped holds the clock as long as a signal has stopped one of the children of
// this process, until ctx ends. A stopped process computes nothing; a jump clock would
// skip the time in which the others wait for it, and jobs would run into their limits.
//
// The kernel sends SIGCHLD as part of the stop. The thread that gets it keeps the clock
// from jumping until the hold.
func HoldWhileStopped(ctx context.Context, c brake, children func() []int) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGCHLD)
	defer signal.Stop(changed)
	held := false
	for {
		if stopped := slices.ContainsFunc(children(), Stopped); stopped && !held {
			c.Hold()
			held = true
		} else if held && !stopped {
			c.Go()
			held = false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if held {
				c.Go()
			}
			return
		}
	}
}

// children are the processes of the daemons.
func (c *Daemons) children() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var pids []int
	for _, d := range c.State.Daemons {
		pids = append(pids, d.PID)
	}
	return pids
}
