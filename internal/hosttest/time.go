package hosttest

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime is what this process has used of processors. Other processes do not change it, as they do the time of a
// clock.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
