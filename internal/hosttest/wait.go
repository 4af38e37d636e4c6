package hosttest

import (
	"testing"
	"time"
)

// Hang is the real time after which a wait counts as one that never ends. A busy host is
// a hundred times slower than a quiet one for seconds, not for minutes.
const Hang = 5 * time.Minute

// The time between two looks at a condition doubles from soonest to latest, and is at least share times as long as a
// look. So a wait for what holds at once costs nothing, and a wait of minutes takes no core from what it waits for.
const (
	soonest = 50 * time.Microsecond
	latest  = 50 * time.Millisecond
	share   = 3
)

// Until waits until the condition holds. What names it in the failure.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	UntilOr(t, holds, func() string { return what })
}

// UntilOr is Until with a message that shows the state at the failure.
func UntilOr(t testing.TB, holds func() bool, failure func() string) {
	t.Helper()
	began, pause := time.Now(), soonest
	for {
		look := time.Now()
		if holds() {
			return
		}
		if time.Since(began) > Hang {
			t.Fatalf("%s: not so after %v", failure(), Hang)
		}
		time.Sleep(max(pause, share*time.Since(look)))
		pause = min(2*pause, latest)
	}
}

// Receive returns what comes from a channel. What names it in the failure.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(Hang):
		t.Fatalf("%s: nothing after %v", what, Hang)
		panic("unreachable")
	}
}
