//go:build integration

package run

import (
	"runtime"
	"sync"
	"testing"
)

// placesOfCore is how many tests may be on a core at a time: a run leaves half of its core idle.
const placesOfCore = 2

// processors has the free places of each core, and the core of each test that has one.
type processors struct {
	mu    sync.Mutex
	freed *sync.Cond
	free  []int
	owned map[*testing.T]*int
	// asked and served count the tests that wanted a core: each has its turn. Otherwise tests that share a core would
	// keep one that wants a core for itself waiting until all of them have ended.
	asked, served int
}

func newProcessors(cores int) *processors {
	p := &processors{free: make([]int, cores), owned: map[*testing.T]*int{}}
	p.freed = sync.NewCond(&p.mu)
	for i := range p.free {
		p.free[i] = placesOfCore
	}
	return p
}

var testProcessors = newProcessors(runtime.NumCPU())

// CoreOf returns the core of the test, for all its runs. It has at most one neighbour there.
func CoreOf(t *testing.T) *int { return testProcessors.take(t, 1) }

// ownCoreOf returns a core that no other test has at the same time.
func ownCoreOf(t *testing.T) *int { return testProcessors.take(t, placesOfCore) }

// take waits for so many places on the same core, the one with most free places, until the end of the test. A test that
// has a core keeps it.
func (p *processors) take(t *testing.T, places int) *int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if core := p.owned[t]; core != nil {
		return core
	}
	turn := p.asked
	p.asked++
	core := p.emptiest()
	for turn != p.served || p.free[core] < places {
		p.freed.Wait()
		core = p.emptiest()
	}
	p.served++
	p.free[core] -= places
	p.owned[t] = &core
	p.freed.Broadcast()
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.owned, t)
		p.free[core] += places
		p.freed.Broadcast()
	})
	return &core
}

// emptiest is the core with most free places.
func (p *processors) emptiest() int {
	most := 0
	for core, free := range p.free {
		if free > p.free[most] {
			most = core
		}
	}
	return most
}

// Tests that share cores, and some that want one for themselves, all have their turn, and never more of a core than it has.
func TestPlacesOfCores(t *testing.T) {
	p := newProcessors(2)
	var mu sync.Mutex
	on := make([]int, 2)
	t.Run("tests", func(t *testing.T) {
		for i := range 40 {
			places := 1 + i%4/3
			t.Run("", func(t *testing.T) {
				t.Parallel()
				core := *p.take(t, places)
				if again := *p.take(t, places); again != core {
					t.Errorf("the test has cores %d and %d", core, again)
				}
				mu.Lock()
				on[core] += places
				if on[core] > placesOfCore {
					t.Errorf("core %d has %d places taken", core, on[core])
				}
				mu.Unlock()
				runtime.Gosched()
				mu.Lock()
				on[core] -= places
				mu.Unlock()
			})
		}
	})
	if p.free[0] != placesOfCore || p.free[1] != placesOfCore || p.served != 40 {
		t.Errorf("free places %v after %d tests, want all after 40", p.free, p.served)
	}
}
