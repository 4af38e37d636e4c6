package watch

import (
	"math/bits"
	"time"
)

// sharedPause is the real time that lies at least between two shared instants of a run whose
// speed does not change, and half of what lies there at most.
const sharedPause = 500 * time.Millisecond

// Shared is the next instant at which runs are looked at that are shown beside each other. It is a multiple of a step
// after the beginning of the run. The step is a power of two of virtual seconds, as large as the speed, virtual time
// by real time, asks for. So the instants of the slower of two runs include the instants of the faster one.
func Shared(began, now time.Time, speed float64) time.Time {
	const longest = 1 << 20 // seconds, 12 days
	step := time.Second
	for step < longest*time.Second && float64(step) < speed*float64(sharedPause) {
		step *= 2
	}
	return began.Add((max(0, now.Sub(began))/step + 1) * step)
}

// Roundness says in how many grids of shared instants of a run the look is: it counts the powers
// of two. A look that was not taken for a shared instant has none.
func (l *Look) Roundness(began time.Time) int {
	if l.Due.IsZero() || l.Due.Before(began) {
		return 0
	}
	return 1 + bits.TrailingZeros64(uint64(l.Due.Sub(began)/time.Second))
}
