package clock

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// Sleepers end exactly at their deadlines, in their order, however many there
// are.
func TestJumpDeadlines(t *testing.T) {
	c, f := newJump(t, frozen)
	rapid.Check(t, func(rt *rapid.T) {
		sleepers := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 4), 1, 12).Draw(rt, "sleepers")
		type end struct {
			due, now time.Time
			err      error
		}
		var mu sync.Mutex
		var ends []end
		running := len(sleepers)
		for _, naps := range sleepers {
			go func() {
				for i, seconds := range naps {
					d := time.Duration(seconds) * time.Second
					due := c.Now().Add(d)
					var err error
					if i%2 == 0 {
						err = c.Sleep(t.Context(), d)
					} else {
						err = c.SleepUntil(t.Context(), due)
					}
					now := c.Now()
					mu.Lock()
					ends = append(ends, end{due, now, err})
					mu.Unlock()
				}
				mu.Lock()
				running--
				mu.Unlock()
			}()
		}
		for {
			var left int
			var next int64
			hosttest.Until(t, "the waits that are due have ended", func() bool {
				mu.Lock()
				left = running
				mu.Unlock()
				var waiting int
				waiting, next = f.waiting()
				return waiting == left
			})
			if left == 0 {
				break
			}
			f.jump(t, next)
		}
		if !slices.IsSortedFunc(ends, func(a, b end) int { return a.due.Compare(b.due) }) {
			rt.Errorf("not in the order of the deadlines: %v", ends)
		}
		for _, e := range ends {
			// Slack for the frozen clock, which passes 1 ns in 4 s.
			if late := e.now.Sub(e.due); e.err != nil || late < 0 || late > hosttest.Hang/(1<<31) {
				rt.Errorf("due %v, ended %v, error %v", e.due, e.now, e.err)
			}
		}
	})
}

// Hints that come without a reason end no wait.
func TestHintsAreNoAnswer(t *testing.T) {
	c, f := newJump(t, frozen)
	done := make(chan error)
	go func() { done <- c.Sleep(t.Context(), time.Hour) }()
	due := f.await(t, 1)
	for range 100 {
		f.hint(t, 0)
	}
	f.jump(t, due-1)
	select {
	case err := <-done:
		t.Fatalf("Sleep ended 1 ns early: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	f.jump(t, due)
	if err := hosttest.Receive(t, "the end of a wait", done); err != nil || f.now() < due {
		t.Fatalf("at %d, due at %d: %v", f.now(), due, err)
	}
}

// Without a controller waits end when the real time that they need has passed.
func TestWaitsEndWithoutController(t *testing.T) {
	c, f := newJump(t, rateOf(0.001))
	for _, d := range []time.Duration{1, time.Millisecond, time.Second, 20 * time.Second} {
		due := c.Now().Add(d)
		if err := c.Sleep(t.Context(), d); err != nil || c.Now().Before(due) {
			t.Fatalf("Sleep(%v) ended at %v, due %v: %v", d, c.Now(), due, err)
		}
	}
	if f.jumped.Load() != 0 {
		t.Fatal("there was a jump")
	}
}

// An end of the context ends a wait at any point of it, with the cause.
func TestJumpCancellation(t *testing.T) {
	c, f := newJump(t, frozen)
	cause := errors.New("stopped")
	before := runtime.NumGoroutine()
	for i := range 500 {
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() { done <- c.Sleep(ctx, time.Hour) }()
		switch i % 3 {
		case 0:
			f.await(t, 1)
		case 1:
			runtime.Gosched()
		}
		cancel(cause)
		if err := hosttest.Receive(t, "the end of a wait", done); !errors.Is(err, cause) {
			t.Fatalf("Sleep = %v, want the cause", err)
		}
		if n, _ := f.waiting(); n != 0 {
			t.Fatalf("%d deadlines are left", n)
		}
	}
	if high := f.high.Load(); high != 1 {
		t.Errorf("one wait at a time took %d slots", high)
	}
	hosttest.Until(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// A process keeps few slots, however many waits it had at once, and no wait
// holds a thread: one that did would hold up the rest of the program (see
// shared.sleep).
func TestSlotsAreFreed(t *testing.T) {
	c, f := newJump(t, frozen)
	before, files := runtime.NumGoroutine(), openFiles(t)
	const sleepers = 100
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		for range sleepers {
			go func() { done <- c.Sleep(ctx, time.Hour) }()
		}
		f.await(t, sleepers)
		cancel()
		for range sleepers {
			if err := hosttest.Receive(t, "the end of a wait", done); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if n := pprof.Lookup("threadcreate").Count(); n > sleepers/2 {
			t.Errorf("%d waits have made %d threads", sleepers, n)
		}
		taken := 0
		for i := range f.slot {
			if f.slot[i].owner.Load() != 0 {
				taken++
			}
		}
		if n := openFiles(t) - files; n > maxIdle {
			t.Errorf("%d files are open for %d slots", n, maxIdle)
		}
		if taken != maxIdle || f.high.Load() > sleepers {
			t.Errorf("%d slots are taken, want %d; all are below %d", taken, maxIdle, f.high.Load())
		}
	}
	hosttest.Until(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func TestNoSlotLeft(t *testing.T) {
	c, f := newJump(t, frozen)
	for i := range f.slot {
		f.slot[i].owner.Store(1)
	}
	if err := c.Sleep(t.Context(), time.Hour); !errors.Is(err, ErrNoSlot) {
		t.Fatalf("Sleep = %v, want %v", err, ErrNoSlot)
	}
	// A program in C waits all the same, and counts it.
	before := c.Stats()
	if err := c.Stats().Since(before).Fault(); err != nil {
		t.Errorf("fault %v without a wait", err)
	}
	f.slotless.Add(3)
	if err := c.Stats().Since(before).Fault(); !errors.Is(err, ErrNoSlot) || !strings.Contains(err.Error(), "all 16384 slots of the clock are taken") {
		t.Errorf("fault %v, want %v", err, ErrNoSlot)
	}
}

func TestJumpWait(t *testing.T) {
	c, f := newJump(t, frozen)
	cause := errors.New("stopped")
	type result struct {
		woken bool
		err   error
	}
	for _, limit := range []time.Duration{0, time.Hour} {
		start := func() (chan struct{}, context.CancelCauseFunc, chan result) {
			ctx, cancel := context.WithCancelCause(t.Context())
			wake, done := make(chan struct{}), make(chan result)
			var until time.Time
			waiting := 0
			if limit > 0 {
				until, waiting = c.Now().Add(limit), 1
			}
			go func() {
				woken, err := c.Wait(ctx, until, wake)
				done <- result{woken, err}
			}()
			f.await(t, waiting)
			return wake, cancel, done
		}
		wake, cancel, done := start()
		wake <- struct{}{}
		if got := hosttest.Receive(t, "the end of a wait", done); !got.woken || got.err != nil {
			t.Errorf("limit %v, wake: %+v", limit, got)
		}
		cancel(nil)
		_, cancel, done = start()
		cancel(cause)
		if got := hosttest.Receive(t, "the end of a wait", done); got.woken || !errors.Is(got.err, cause) {
			t.Errorf("limit %v, stop: %+v", limit, got)
		}
		if limit > 0 {
			_, cancel, done = start()
			f.jump(t, f.await(t, 1))
			if got := hosttest.Receive(t, "the end of a wait", done); got.woken || got.err != nil {
				t.Errorf("limit %v passed: %+v", limit, got)
			}
			cancel(nil)
		}
		if n, _ := f.waiting(); n != 0 {
			t.Errorf("limit %v: %d deadlines are left", limit, n)
		}
		if limit == 0 && f.high.Load() != 0 {
			t.Error("Wait without a limit took a slot")
		}
	}
}

// Two processes on one page agree.
func TestAttachSharesTime(t *testing.T) {
	first, f := newJump(t, frozen)
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var second Clock
	if err = json.Unmarshal(data, &second); err != nil {
		t.Fatal(err)
	}
	if second, err = second.Attach(); err != nil {
		t.Fatal(err)
	}
	if second.shared.page == first.shared.page {
		t.Fatal("Attach did not map the page anew")
	}
	done := make(chan error)
	for _, c := range []Clock{first, second} {
		go func() { done <- c.Sleep(t.Context(), time.Hour) }()
	}
	f.jump(t, f.await(t, 2))
	for range 2 {
		if err := hosttest.Receive(t, "the end of a wait", done); err != nil {
			t.Fatal(err)
		}
	}
	want := DefaultStart().Add(time.Hour)
	for _, c := range []Clock{first, second} {
		if late := c.Now().Sub(want); late < 0 || late > hosttest.Hang/(1<<31) {
			t.Errorf("it is %v, want %v", c.Now(), want)
		}
	}
	second.Hold()
	first.Go()
	if n := f.hold.Load(); n != 0 {
		t.Errorf("hold = %d after Hold and Go of two processes", n)
	}
}

func TestHoldAndGo(t *testing.T) {
	c, f := newJump(t, frozen)
	c.Hold()
	c.Hold()
	for _, want := range []int32{1, 0, 0} {
		c.Go()
		if n := f.hold.Load(); n != want {
			t.Errorf("hold = %d, want %d", n, want)
		}
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 1000 {
				c.Hold()
				c.Go()
			}
		})
	}
	group.Wait()
	if n := f.hold.Load(); n != 0 {
		t.Errorf("hold = %d after equally many of both", n)
	}
	// On other clocks they do nothing.
	Real().Hold()
	Real().Go()
}

func TestStats(t *testing.T) {
	c, f := newJump(t, frozen)
	f.jumps.Store(10)
	f.jumped.Store(int64(time.Hour))
	f.tests.Store(30)
	f.caughtRunning.Store(4)
	f.caughtBlocked.Store(5)
	f.takeovers.Store(1)
	f.longestNs.Store(7)
	f.longestAt.Store(f.epoch + int64(time.Minute))
	copy(f.round[0].thread[:], "acctg_prof")
	f.round[0].grain = int64(time.Minute)
	for i, s := range []Source{{"sleep", "sleep", 2}, {"slurmctld", "cond", 5}, {"sixteen bytes---", "step", 3}} {
		copy(f.source[i].thread[:], s.Thread)
		f.source[i].kind = uint32(slices.Index(kindNames[:], s.Kind))
		f.source[i].jumps.Store(s.Jumps)
	}
	before := c.Stats()
	want := Stats{
		Jumps: 10, Skipped: time.Hour, IdleTests: 30, CaughtRunning: 4, CaughtBlocked: 5,
		LongestBusy: 7, LongestBusyAt: DefaultStart().Add(time.Minute), Restarts: 1,
		Rounded: map[string]time.Duration{"acctg_prof": time.Minute},
		Sources: []Source{{"slurmctld", "cond", 5}, {"sixteen bytes---", "step", 3}, {"sleep", "sleep", 2}},
	}
	if !reflect.DeepEqual(before, want) {
		t.Errorf("got  %+v\nwant %+v", before, want)
	}

	c.ResetLongest()
	f.jumps.Add(3)
	f.jumped.Add(int64(time.Second))
	f.tests.Add(6)
	f.caughtRunning.Add(1)
	f.caughtBlocked.Add(2)
	f.takeovers.Add(1)
	f.slotless.Add(2)
	f.source[0].jumps.Add(3)
	f.source[1].jumps.Add(1)
	want = Stats{
		Jumps: 3, Skipped: time.Second, IdleTests: 6, CaughtRunning: 1, CaughtBlocked: 2, Restarts: 1, Slotless: 2,
		Rounded: map[string]time.Duration{"acctg_prof": time.Minute},
		Sources: []Source{{"sleep", "sleep", 3}, {"slurmctld", "cond", 1}},
	}
	if got := c.Stats().Since(before); !reflect.DeepEqual(got, want) {
		t.Errorf("since then\ngot  %+v\nwant %+v", got, want)
	}
	if got := Real().Stats(); !reflect.DeepEqual(got, Stats{}) {
		t.Errorf("a real clock counted %+v", got)
	}
}
