package boot

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
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

// stopPoll is the real time between two looks for daemons that are stopped.
const stopPoll = 100 * time.Millisecond

// Stop is for how long signals stopped the processes of a part.
type Stop struct {
	Part string        `json:"part"`
	Real time.Duration `json:"real_ns"`
}

// watchStops adds up for how long signals stop daemons, until the function that it returns
// is called, which lists them by part. A stopped daemon makes a boot slower, and nobody
// else is there to tell why.
func (c *Daemons) watchStops() func() []Stop {
	over, watched := make(chan struct{}), make(chan struct{})
	sums := map[string]time.Duration{}
	go func() {
		defer close(watched)
		tick := time.NewTicker(stopPoll)
		defer tick.Stop()
		for last, end := time.Now(), false; !end; {
			select {
			case <-tick.C:
			case <-over:
				// A stop since the last look counts: on a busy machine that was long ago.
				end = true
			}
			now := time.Now()
			parts := map[string]bool{}
			for _, d := range c.stopped() {
				parts[d.Part] = true
			}
			for part := range parts {
				sums[part] += now.Sub(last)
			}
			last = now
		}
	}()
	return func() []Stop {
		close(over)
		<-watched
		var all []Stop
		for _, part := range slices.Sorted(maps.Keys(sums)) {
			all = append(all, Stop{part, sums[part]})
		}
		return all
	}
}

// stopped are the daemons that a signal has stopped.
func (c *Daemons) stopped() []Daemon {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.State.Daemons), func(d Daemon) bool { return !Stopped(d.PID) })
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
