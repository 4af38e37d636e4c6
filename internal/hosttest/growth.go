package hosttest

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// mostGrowth is how many times as long an input of ten times the size may take. Linear work takes 10 times as long,
// and 16 times where the larger input no longer fits into the caches of a busy machine. Quadratic work takes 100 times
// as long, and 30 is midway of 10 and 100 by ratio.
const mostGrowth = 30

// Linear fails the test if work on ten times the size takes more than mostGrowth times the processor time. Prepare
// makes the input of a size and returns the work on it, which alone is timed.
func Linear(t testing.TB, size int, prepare func(size int) (work func())) {
	t.Helper()
	const times, fewest, tries = 10, 3, 10
	small, large := prepare(size), prepare(times*size)
	// The garbage collector runs between the measurements: its work depends on what other tests left.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	// What disturbs a measurement makes it longer, so the shortest ones count.
	one, ten := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	ratio := math.Inf(1)
	for try := 0; try < tries && (try < fewest || ratio > mostGrowth); try++ {
		one = min(one, processorTimeOf(t, times, small))
		ten = min(ten, processorTimeOf(t, 1, large))
		ratio = times * float64(ten) / float64(one)
	}
	if !(ratio <= mostGrowth) {
		t.Fatalf("size %d took %s, and %d times size %d took %s: ten times the size takes %.1f times as long, want at most %d", times*size, ten, times, size, one, ratio, mostGrowth)
	}
}

// processorTimeOf is the processor time of so many repetitions.
func processorTimeOf(t testing.TB, repetitions int, work func()) time.Duration {
	t.Helper()
	runtime.GC()
	began := ProcessorTime(t)
	for range repetitions {
		work()
	}
	return ProcessorTime(t) - began
}
