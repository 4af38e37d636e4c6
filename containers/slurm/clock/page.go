package clock

import (
	"math"
	"math/bits"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// The layout of vclock.h, in its order; TestLayout holds the two together.
const (
	pageMagic   = 0x6b636c76
	pageVersion = 1
	pageSlots   = 16384
	pageSources = 64
	pageRounds  = 4
	pageName    = 16
)

// kindPoll marks a wait that ends by a datagram.
const kindPoll = 3

// kindNames are the words of the statistics for what a thread waits in. The empty one
// stands for all waits that vclockd's table has no room for.
var kindNames = [...]string{"any", "sleep", "cond", "poll", "sem", "timer", "step"}

type slot struct {
	owner   atomic.Int32
	tid     int32
	word    atomic.Uint32
	kind    uint8
	nameLen uint8
	name    [10]byte
	thread  [pageName]byte
	asked   int64
	_       [16]byte
}

type source struct {
	thread [pageName]byte
	kind   uint32
	_      uint32
	jumps  atomic.Uint64
}

type round struct {
	thread [pageName]byte
	grain  int64
}

type page struct {
	magic      atomic.Uint32
	version    uint32
	slots      uint32
	controller int32
	epoch      int64
	wall       int64
	rate       uint64
	round      [pageRounds]round
	_          [56]byte

	jumped atomic.Int64
	hold   atomic.Int32
	high   atomic.Uint32
	_      [48]byte

	jumps         atomic.Uint64
	wakes         atomic.Uint64
	tests         atomic.Uint64
	caughtRunning atomic.Uint64
	caughtBlocked atomic.Uint64
	threadsRead   atomic.Uint64
	births        atomic.Uint64
	reaped        atomic.Uint64
	idleNs        atomic.Uint64
	busyNs        atomic.Uint64
	longestNs     atomic.Uint64
	longestAt     atomic.Int64
	takeovers     atomic.Uint64
	slotless      atomic.Uint64
	_             [16]byte

	source   [pageSources]source
	deadline [pageSlots]atomic.Int64
	slot     [pageSlots]slot
}

// realMonotonic reads the clock on which the page's formulas are based, in nanoseconds. Go reads the same clock, but
// hides its value in a time.Time.
func realMonotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		// Only a wrong clock number or pointer can fail, clock_gettime(2).
		panic(err)
	}
	return ts.Nano()
}

// now returns virtual CLOCK_MONOTONIC.
func (p *page) now() int64 { return p.monotonic(realMonotonic()) }

// monotonic returns virtual CLOCK_MONOTONIC at the real reading m.
func (p *page) monotonic(m int64) int64 {
	return p.epoch + scale(m-p.epoch, p.rate) + p.jumped.Load()
}

// scale returns a*b / 2^32, rounded down.
func scale(a int64, b uint64) int64 {
	hi, lo := bits.Mul64(uint64(a), b)
	if a < 0 {
		// As an unsigned number, a negative a is 2^64 too large.
		hi -= b
	}
	return int64(hi<<32 | lo>>32)
}

// real returns the earliest real CLOCK_MONOTONIC at which virtual time v is
// reached if no jump comes, or the end of time where that does not fit.
func (p *page) real(v int64) int64 {
	left := v - p.epoch - p.jumped.Load()
	if left <= 0 {
		return p.epoch
	}
	lo, carry := bits.Add64(uint64(left)<<32, p.rate-1, 0)
	hi := uint64(left)>>32 + carry
	if hi >= p.rate {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(hi, lo, p.rate)
	return add(p.epoch, time.Duration(min(quotient, math.MaxInt64)))
}

// wallTime returns virtual CLOCK_REALTIME at the virtual CLOCK_MONOTONIC v.
func (p *page) wallTime(v int64) time.Time {
	return time.Unix(0, p.wall).Add(time.Duration(v - p.epoch)).UTC()
}

// monotonicTime is the inverse of wallTime.
func (p *page) monotonicTime(t time.Time) int64 {
	return add(p.epoch, t.Sub(time.Unix(0, p.wall)))
}

// add saturates: a wait for longer than nanoseconds can count never ends.
func add(nanos int64, d time.Duration) int64 {
	if d > 0 && nanos > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return nanos + int64(d)
}
