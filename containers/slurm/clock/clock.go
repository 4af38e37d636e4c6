package clock

import (
	"context"
	"time"
)

// Kind says how virtual time relates to real time.
type Kind string

// The three kinds of clock; doc.go says what each of them is for.
const (
	KindReal   Kind = "real"
	KindScaled Kind = "scaled"
	KindJump   Kind = "jump"
)

// Kinds returns all kinds, the usual one first.
func Kinds() []Kind { return []Kind{KindJump, KindScaled, KindReal} }

// About says in a few words how virtual time passes.
func (k Kind) About() string {
	switch k {
	case KindJump:
		return "skips what is idle"
	case KindScaled:
		return "constant speed-up"
	default:
		return "as fast as real time"
	}
}

// Clock is the virtual time of one cluster. The zero value is not usable; take
// Real or Start, or decode one from JSON and call Attach. A Clock without a
// Kind is linear, as a scaled one.
type Clock struct {
	Kind Kind `json:"kind"`
	// Scale is virtual seconds per real second while something computes.
	Scale float64 `json:"scale"`
	// Real and Virtual are readings of the two clocks at one instant; zero for
	// a jump clock, whose base is in its page.
	Real    time.Time `json:"real,omitzero"`
	Virtual time.Time `json:"virtual,omitzero"`
	// Page is the file that holds a jump clock.
	Page string `json:"page,omitempty"`

	shared *shared
}

// Real returns the clock whose virtual time is the real time.
func Real() Clock {
	now := time.Now()
	return Clock{Kind: KindReal, Scale: 1, Real: now, Virtual: now}
}

// Attach returns the clock ready for use in this process. A jump clock that
// came from another process needs it; others are returned as they are.
func (c Clock) Attach() (Clock, error) {
	if c.Kind != KindJump || c.shared != nil {
		return c, nil
	}
	var err error
	c.shared, err = attach(c.Page)
	return c, err
}

// Now returns the virtual time. It panics on a jump clock without Attach.
func (c Clock) Now() time.Time {
	if c.Kind == KindJump {
		return c.shared.wallTime(c.shared.now())
	}
	return c.at(time.Now())
}

// at returns the virtual time of a linear clock at a real instant.
func (c Clock) at(real time.Time) time.Time {
	return c.Virtual.Add(time.Duration(float64(real.Sub(c.Real)) * c.Scale))
}

// RealDuration returns the real time that a virtual duration takes while
// something computes. An idle cluster on a jump clock takes less.
func (c Clock) RealDuration(virtual time.Duration) time.Duration {
	return time.Duration(float64(virtual) / c.Scale)
}

// Sleep waits for a virtual duration. It returns the context's cause when the
// context ends first.
func (c Clock) Sleep(ctx context.Context, virtual time.Duration) error {
	if virtual <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.Kind == KindJump {
		return c.shared.sleep(ctx, add(c.shared.now(), virtual))
	}
	timer := time.NewTimer(c.RealDuration(virtual))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// SleepUntil waits until a virtual instant.
func (c Clock) SleepUntil(ctx context.Context, virtual time.Time) error {
	if c.Kind == KindJump {
		return c.shared.sleep(ctx, c.shared.monotonicTime(virtual))
	}
	return c.Sleep(ctx, virtual.Sub(c.Now()))
}

// Wait waits until wake delivers, which it reports as woken, or until a virtual
// instant, whichever comes first; a zero time sets no limit. It returns the
// context's cause when the context ends first.
func (c Clock) Wait(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error) {
	if until.IsZero() {
		select {
		case <-wake:
			return true, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	slept := make(chan struct{})
	go func() {
		defer close(slept)
		err = c.SleepUntil(ctx, until)
	}()
	select {
	case <-wake:
		stop()
		// If the sleeper lived on, the clock would jump to a deadline for which nobody
		// waits any more.
		<-slept
		return true, nil
	case <-slept:
		return false, err
	}
}

// Hold stops the jumps of a jump clock until as many calls of Go: virtual time passes at Scale, whether or not
// something computes. A process that prepares a cluster holds its clock. Otherwise virtual time would jump ahead by
// hours between two commands from outside, when nothing in the cluster computes.
func (c Clock) Hold() {
	if c.Kind == KindJump {
		c.shared.hold.Add(1)
	}
}

// Go takes back one Hold, also one of another process.
func (c Clock) Go() {
	if c.Kind != KindJump {
		return
	}
	for {
		n := c.shared.hold.Load()
		if n <= 0 || c.shared.hold.CompareAndSwap(n, n-1) {
			return
		}
	}
}

// Held says whether a jump clock is held.
func (c Clock) Held() bool { return c.Kind == KindJump && c.shared.hold.Load() > 0 }
