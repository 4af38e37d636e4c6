package watch_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/emulator/watch"
)

// The instants of every slower run include a run's instants. No run has more than two in a real second, and none has
// fewer than one.
func TestShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.Float64Range(2, 20000).Draw(t, "speed")
		slower := rapid.Float64Range(1, speed).Draw(t, "slower")
		began := at(rapid.IntRange(0, 1000).Draw(t, "began"))
		now := began.Add(time.Duration(rapid.Int64Range(0, int64(10*time.Hour)).Draw(t, "past")))
		first := watch.Shared(began, now, speed)
		second := watch.Shared(began, first, speed)
		if !first.After(now) || !second.After(first) {
			t.Fatalf("after %v come %v and %v", now, first, second)
		}
		if real := float64(second.Sub(first)) / speed; real < float64(500*time.Millisecond)-1 || real > float64(time.Second)+1 {
			t.Errorf("%v of real time between two instants", time.Duration(real))
		}
		if got := watch.Shared(began, first.Add(-1), slower); !got.Equal(first) {
			t.Errorf("the slower run has %v, the faster one %v", got.Sub(began), first.Sub(began))
		}
	})
}

func TestRoundness(t *testing.T) {
	for past, want := range map[int]int{1: 1, 2: 2, 3: 1, 48: 5, 64: 7, -1: 0} {
		l := watch.Look{Due: at(5 + past)}
		if got := l.Roundness(at(5)); got != want {
			t.Errorf("%d s: %d, want %d", past, got, want)
		}
	}
	if got := new(watch.Look).Roundness(at(5)); got != 0 {
		t.Errorf("a look for no instant: %d", got)
	}
}

// An order keeps the beginning to the nanosecond, and other orders have none.
func TestOrderFrom(t *testing.T) {
	want := at(7).Add(123456789)
	if got, ok := watch.Began(watch.OrderFrom(want)); !ok || !got.Equal(want) {
		t.Errorf("got %v, %v, want %v", got, ok, want)
	}
	for _, order := range []string{watch.OrderGo, watch.OrderHold, "from", "from here", ""} {
		if got, ok := watch.Began(order); ok {
			t.Errorf("%q is read as %v", order, got)
		}
	}
}
