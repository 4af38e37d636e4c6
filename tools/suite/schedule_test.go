package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// A step starts after all that it needs has passed. A step without cores starts only while the load of all is within
// the capacity or alone. One step at most takes cores, and what needs a failed step is not run.
func TestSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const capacity = 20
		steps := make([]step, rapid.IntRange(1, 8).Draw(t, "steps"))
		fails := map[string]bool{}
		for i := range steps {
			steps[i] = step{name: fmt.Sprint("step ", i), load: rapid.IntRange(1, 25).Draw(t, "load"), cores: rapid.Bool().Draw(t, "cores")}
			fails[steps[i].name] = rapid.IntRange(0, 4).Draw(t, "fails") == 0
			for need := range i {
				if rapid.IntRange(0, 2).Draw(t, "needs") == 0 {
					steps[i].needs = append(steps[i].needs, steps[need].name)
				}
			}
		}
		// What is needed may stand behind what needs it.
		steps = rapid.Permutation(steps).Draw(t, "order")
		var (
			mu sync.Mutex
			// load and running are of steps without cores. A step with cores may begin at any load, and goroutines
			// run in another order than they begin in.
			load, running, cores int
			ended                = map[string]state{}
		)
		results := schedule(context.Background(), steps, capacity, func(_ context.Context, s step) result {
			mu.Lock()
			if s.cores {
				cores++
			} else {
				load += s.load
				running++
			}
			if cores > 1 {
				t.Errorf("%d steps take cores", cores)
			}
			if running > 1 && load > capacity {
				t.Errorf("%d steps with a load of %d run", running, load)
			}
			for _, need := range s.needs {
				if ended[need] != passed {
					t.Errorf("%s runs before %s has passed", s.name, need)
				}
			}
			mu.Unlock()
			mu.Lock()
			defer mu.Unlock()
			if s.cores {
				cores--
			} else {
				load -= s.load
				running--
			}
			ended[s.name] = passed
			if fails[s.name] {
				ended[s.name] = failed
			}
			return result{state: ended[s.name]}
		})
		for i, r := range results {
			if r.step.name != steps[i].name {
				t.Fatalf("result %d is of %q, want %q", i, r.step.name, steps[i].name)
			}
			if r.state == notRun {
				if _, ran := ended[r.step.name]; ran || !slices.Contains(r.step.needs, r.missing) || ended[r.missing] == passed {
					t.Errorf("%s was not run for want of %q; ran %v", r.step.name, r.missing, ended)
				}
			} else if r.state != ended[r.step.name] {
				t.Errorf("%s: %s, want %s", r.step.name, r.state, ended[r.step.name])
			}
		}
	})
}

// A step without cores waits until its load fits beside a step with cores.
func TestScheduleCountsCores(t *testing.T) {
	var first atomic.Bool
	schedule(t.Context(), []step{{name: "first", load: 15, cores: true}, {name: "second", load: 10}}, 20, func(_ context.Context, s step) result {
		if s.name == "first" {
			first.Store(true)
		} else if !first.Load() {
			t.Error("the second step runs beside the first one")
		}
		return result{state: passed}
	})
}

// After an interrupt no further step begins.
func TestScheduleInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	steps := []step{{name: "one", load: 10}, {name: "two", load: 10, needs: []string{"one"}}, {name: "three", load: 10}}
	results := schedule(ctx, steps, 10, func(context.Context, step) result {
		interrupt()
		return result{state: interrupted}
	})
	if got := []state{results[0].state, results[1].state, results[2].state}; !slices.Equal(got, []state{interrupted, notRun, notRun}) {
		t.Errorf("%q", got)
	}
}

// Each step of the table needs steps of the table, without a circle, and has a load. What runs on every backend waits for
// the image of one that is new.
func TestPlan(t *testing.T) {
	seen := map[string]bool{}
	invented := backend.Backend{Form: backend.External, Series: "99.11"}
	all := plan(append(backend.All(), invented))
	for _, s := range all {
		if seen[s.name] || s.load < 1 || len(s.target) == 0 {
			t.Errorf("%+v: named twice, or without load or target", s)
		}
		seen[s.name] = true
	}
	for _, name := range []string{"runs", "clusters", "vclock"} {
		i := slices.IndexFunc(all, func(s step) bool { return s.name == name })
		if !seen[imageOf(invented)] || !slices.Contains(all[i].needs, imageOf(invented)) {
			t.Errorf("%s needs %q, want %s as well", name, all[i].needs, imageOf(invented))
		}
	}
	results := schedule(context.Background(), all, 10, func(context.Context, step) result { return result{state: passed} })
	for _, r := range results {
		if r.state != passed {
			t.Errorf("%s: %s for want of %s", r.step.name, r.state, r.missing)
		}
		for _, need := range r.step.needs {
			if !seen[need] {
				t.Errorf("%s needs %s, want one of %q", r.step.name, need, slices.Sorted(maps.Keys(seen)))
			}
		}
	}
}

func TestChoose(t *testing.T) {
	all := []step{{name: "a"}, {name: "b", needs: []string{"d"}}, {name: "c", needs: []string{"a"}}, {name: "d"}}
	var got []string
	for _, s := range choose(all, []string{"b", "d"}) {
		got = append(got, s.name)
	}
	if !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("%q", got)
	}
}
