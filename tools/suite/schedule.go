package main

import (
	"context"
	"slices"
	"time"
)

// state is what came of a step.
type state string

const (
	passed      state = "passed"
	failed      state = "failed"
	notRun      state = "not run"
	interrupted state = "interrupted"
)

// result is a step with what came of it.
type result struct {
	step  step
	state state
	// began counts from the start of the first step.
	began, took time.Duration
	// cpu is the processor time of the step's processes, without that of containers.
	cpu time.Duration
	// missing is the step that a step which was not run needed.
	missing string
	tests   tally
}

// schedule runs steps, those first that stand first, as soon as what they need has passed. One step with cores runs at a
// time, whatever runs beside it: they are the longest row. The others begin while the load of all is at most capacity,
// or alone. The results are in the order of the steps.
func schedule(ctx context.Context, steps []step, capacity int, run func(context.Context, step) result) []result {
	var (
		results = make([]result, len(steps))
		begun   = make([]bool, len(steps))
		done    = map[string]state{}
		ended   = make(chan int)
		load    int
		running int
		// cores says that a step runs that takes them.
		cores bool
		start = time.Now()
	)
	for len(done) < len(steps) {
		for i, s := range steps {
			if begun[i] {
				continue
			}
			missing, ready := needed(s, done)
			if missing != "" || ctx.Err() != nil {
				begun[i], done[s.name] = true, notRun
				results[i] = result{step: s, state: notRun, missing: missing}
				continue
			}
			full := running > 0 && load+s.load > capacity
			if s.cores {
				full = cores
			}
			if !ready || full {
				continue
			}
			begun[i] = true
			cores = cores || s.cores
			load += s.load
			running++
			began := time.Since(start)
			go func() {
				results[i] = run(ctx, s)
				results[i].step, results[i].began, results[i].took = s, began, time.Since(start)-began
				ended <- i
			}()
		}
		// A step that was not run may be what another one of before it needed.
		if running == 0 {
			continue
		}
		i := <-ended
		running--
		load -= steps[i].load
		cores = cores && !steps[i].cores
		done[steps[i].name] = results[i].state
	}
	return results
}

// needed tells whether all that a step needs has passed, and which of it never will.
func needed(s step, done map[string]state) (missing string, ready bool) {
	ready = true
	for _, need := range s.needs {
		switch done[need] {
		case passed:
		case "":
			ready = false
		default:
			return need, false
		}
	}
	return "", ready
}

// choose returns the steps with the names and all that they need, in the order of the table.
func choose(all []step, names []string) []step {
	wanted := map[string]bool{}
	var want func(name string)
	want = func(name string) {
		if wanted[name] {
			return
		}
		wanted[name] = true
		i := slices.IndexFunc(all, func(s step) bool { return s.name == name })
		for _, need := range all[i].needs {
			want(need)
		}
	}
	for _, name := range names {
		want(name)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s step) bool { return !wanted[s.name] })
}
