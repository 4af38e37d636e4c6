package auction_test

import (
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// A fiftieth of the mean run time, from a second to the policy's interval; the mean follows the jobs of late.
func TestPace(t *testing.T) {
	const interval = 5 * time.Second
	var p auction.Pace
	wants := func(when string, want time.Duration) {
		t.Helper()
		if got := p.Interval(interval); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	wants("nothing has ended", interval)
	p.Ended(100 * time.Second)
	wants("a job of 100 s", 2*time.Second)
	p.Ended(0)
	wants("and one of no time", 1800*time.Millisecond)
	for range 100 {
		p.Ended(30 * time.Second)
	}
	wants("jobs of half a minute", time.Second)
	q := auction.Pace{}
	q.Resume(p.Mean())
	if p.Ended(time.Hour); q.Interval(interval) != time.Second || p.Interval(interval) != interval {
		t.Errorf("%v and, after a job of an hour, %v", q.Interval(interval), p.Interval(interval))
	}
}
