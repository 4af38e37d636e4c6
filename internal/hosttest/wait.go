package hosttest

import (
	"testing"
	"time"
)

// Hang is the real time after which a wait counts as one that never ends. A busy host is
// a hundred times slower than a quiet one for seconds, not for minutes.
const Hang = 5 * time.Minute

// poll is the time between two looks at a condition.
const poll = 5 * time.Millisecond

// Until waits until the condition holds. What names it in the failure.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	UntilLimit(t, Hang, what, holds)
}

// UntilLimit is Until with a limit of its own, for what takes minutes on a quiet host, such as
// a run on a cluster.
func UntilLimit(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(poll) {
		if time.Since(began) > limit {
			t.Fatalf("%s: not so after %v", what, limit)
		}
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
