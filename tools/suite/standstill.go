package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A tick comes each second. A machine that is busy delays it by less than longTick; only one that stood still,
// as a virtual machine does that is paused, delays it longer. Tests stand stops that are shorter.
const (
	tick     = time.Second
	longTick = 3 * time.Second
)

// standstill is a time in which the machine stood still.
type standstill struct{ from, to time.Time }

// clock looks at the time with each tick and keeps the standstills. The zero value has not begun.
type clock struct {
	mu    sync.Mutex
	last  time.Time
	stood []standstill
}

// look takes note of the time. Monotonic time may stand still with the machine, so that it is left out.
func (c *clock) look(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = now.Round(0)
	if !c.last.IsZero() && now.Sub(c.last) > longTick {
		c.stood = append(c.stood, standstill{c.last, now})
	}
	c.last = now
}

// watch looks until the function that it returns is called.
func (c *clock) watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watched sync.WaitGroup
	watched.Go(func() {
		ticks := time.NewTicker(tick)
		defer ticks.Stop()
		for {
			c.look(time.Now())
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		watched.Wait()
	}
}

// standstills returns what was found so far.
func (c *clock) standstills() []standstill {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.stood)
}

// stood is how long the machine stood still between two times.
func stood(all []standstill, from, to time.Time) (sum time.Duration) {
	for _, s := range all {
		begin, end := s.from, s.to
		if from.After(begin) {
			begin = from
		}
		if to.Before(end) {
			end = to
		}
		sum += max(0, end.Sub(begin))
	}
	return sum
}

// again repeats each test that failed while the machine stood still: such a failure says nothing of the product. A step
// passes if all its failures pass the second time. Other failures stay as they are.
func again(ctx context.Context, results []result, all []standstill, run func(context.Context, step) result) {
	for i := range results {
		r := &results[i]
		good := r.state == failed && len(r.tests.failures) > 0
		for j := range r.tests.failures {
			f := &r.tests.failures[j]
			f.stood = stood(all, f.began, f.ended)
			if r.state != failed || f.stood == 0 || ctx.Err() != nil {
				good = false
				continue
			}
			f.repeated = run(ctx, step{name: fmt.Sprintf("%s-again-%d", r.step.name, j+1), target: f.target(r.step), tests: true}).state
			good = good && f.repeated == passed
		}
		if good {
			r.state = passed
			r.tests.passed += r.tests.failed
			r.tests.failed = 0
		}
	}
}

// target runs a failed test alone, or its package.
func (f failure) target(s step) []string {
	target := slices.Concat(s.target, []string{"PKG=" + local(f.pkg)})
	if f.test != "" {
		target = append(target, "RUN="+pattern(f.test))
	}
	return target
}
