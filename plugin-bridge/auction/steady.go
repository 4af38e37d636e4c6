package auction

import (
	"math"
	"time"
)

// Steady is how long the reservations of an auction stay the same if no job comes, starts or ends meanwhile. They
// change when a job of the window becomes overdue, late or the one with the strongest claim. It is the longest
// duration where nothing can change them. The snapshot is the one that g marked.
//
// As long as they are the same, an auction that started nothing starts nothing later, either. Where a reservation
// lies depends on which jobs run and not on the time, and the nearer it comes the more bids it keeps off. Another
// reservation might let jobs start that this one kept off.
//
// The duration is at least a second and such that the change has happened when it is over.
func (o Options) Steady(s Snapshot, g *Guard) time.Duration {
	first := time.Duration(math.MaxInt64)
	// Something changes after an instant, or from it on.
	after := func(at time.Duration) {
		if at >= 0 {
			first = min(first, at.Truncate(time.Second)+time.Second)
		}
	}
	from := func(at time.Duration) { after(max(0, at-1)) }
	overdue := false
	for _, j := range s.Jobs {
		overdue = overdue || j.Overdue
		if due, known := g.due[j.ID]; known && !j.Overdue {
			after(due - s.Now)
		}
		if j.Options.Exclusive && !late(j) {
			from(j.TimeLimit - j.Waited)
		}
	}
	if !overdue {
		claims, allowed := o.claims(s)
		overtaken(claims, after, from)
		if _, early := s.claimed(claims, allowed); early > 0 {
			from(early)
		}
	}
	return first
}
