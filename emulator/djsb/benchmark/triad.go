package benchmark

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// blockSize is the number of elements that a thread takes at a time. Three arrays of it, 1.5 MiB, are computed in
// less than a millisecond, so that lent threads are free at once.
const blockSize = 1 << 16

// scalar is q, as in McCalpin's program.
const scalar = 3.0

// Triad computes on three arrays.
type Triad struct {
	a, b, c []float64
	most    int

	mu      sync.Mutex
	changed *sync.Cond
	threads int
	// next is the block that is taken next, of all passes; last the number of them.
	next, last int
	stopped    bool
}

// NewTriad has arrays of so many bytes together and at most so many threads. All pages are there
// when it returns.
func NewTriad(memory int64, threads int) (*Triad, error) {
	n := int(memory / 24)
	if n < blockSize || threads < 1 {
		return nil, fmt.Errorf("triad: got %d bytes and %d threads, allowed are %d bytes or more and at least one thread", memory, threads, 24*blockSize)
	}
	n -= n % blockSize
	t := &Triad{a: make([]float64, n), b: make([]float64, n), c: make([]float64, n), most: threads, threads: threads}
	t.changed = sync.NewCond(&t.mu)
	for i := range n {
		t.a[i], t.b[i], t.c[i] = 0, 2, 1
	}
	return t, nil
}

// SetThreads changes the number of threads that compute, from 0 to all.
func (t *Triad) SetThreads(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.threads = max(0, min(n, t.most))
	t.changed.Broadcast()
}

// Run computes so many passes with whatever threads there are. It ends early when ctx does.
func (t *Triad) Run(ctx context.Context, passes int) error {
	t.mu.Lock()
	t.next, t.last, t.stopped = 0, passes*len(t.a)/blockSize, false
	t.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stopped = true
		t.changed.Broadcast()
	})
	defer stop()
	var group sync.WaitGroup
	for i := range t.most {
		group.Go(func() {
			// A thread of the operating system for each, as in OpenMP.
			runtime.LockOSThread()
			t.work(i)
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// work is thread number i.
func (t *Triad) work(i int) {
	for {
		block, ok := t.take(i)
		if !ok {
			return
		}
		from := block * blockSize % len(t.a)
		a, b, c := t.a[from:from+blockSize], t.b[from:from+blockSize], t.c[from:from+blockSize]
		for k := range a {
			a[k] = b[k] + scalar*c[k]
		}
	}
}

// take returns the next block, when thread i is wanted; false when there is none.
func (t *Triad) take(i int) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.stopped && t.next < t.last && i >= t.threads {
		t.changed.Wait()
	}
	if t.stopped || t.next >= t.last {
		return 0, false
	}
	t.next++
	if t.next == t.last {
		// Threads that are not wanted end as well.
		t.changed.Broadcast()
	}
	return t.next - 1, true
}

// Calibrate returns how many passes fit into so much time with all threads, at least one.
func (t *Triad) Calibrate(ctx context.Context, d time.Duration) (int, error) {
	passes := 1
	for {
		begun := time.Now()
		if err := t.Run(ctx, passes); err != nil {
			return 0, fmt.Errorf("calibrate triad: %w", err)
		}
		took := time.Since(begun)
		// A second is long beside the start of threads.
		if took >= time.Second || took >= d {
			return max(1, int(float64(passes)*float64(d)/float64(took))), nil
		}
		passes *= 2
	}
}
