package benchmark

import "time"

// Progress is how far a payload is.
type Progress struct {
	// left is the work that is to be done, in seconds at the rate 1.
	left float64
	rate float64
	seen time.Time
	// suspended payloads make no progress, whatever their rate.
	suspended bool
}

// NewProgress begins work, at the rate 1.
func NewProgress(work time.Duration, start time.Time) *Progress {
	return &Progress{left: work.Seconds(), rate: 1, seen: start}
}

// advance counts what was done until now.
func (p *Progress) advance(now time.Time) {
	if !p.suspended {
		p.left -= p.rate * now.Sub(p.seen).Seconds()
	}
	p.seen = now
}

// SetRate changes the rate from now on.
func (p *Progress) SetRate(rate float64, now time.Time) {
	p.advance(now)
	p.rate = rate
}

// Suspend and Resume stop the progress, and let it go on.
func (p *Progress) Suspend(now time.Time) {
	p.advance(now)
	p.suspended = true
}

// Resume is the opposite of Suspend.
func (p *Progress) Resume(now time.Time) {
	p.advance(now)
	p.suspended = false
}

// End is when the work will be done if nothing changes; false if it will never be.
func (p *Progress) End() (time.Time, bool) {
	if p.suspended || p.rate <= 0 {
		return time.Time{}, false
	}
	return p.seen.Add(time.Duration(p.left / p.rate * float64(time.Second))), true
}

// done says whether the work is done, but for less than a microsecond, which arithmetic loses.
func (p *Progress) done(now time.Time) bool {
	p.advance(now)
	return p.left < 1e-6
}
