package auction

import (
	"math"
	"time"
)

// Steady is how long the reservations of an auction stay the same if no job comes, starts or ends meanwhile: until a job of
// the window becomes overdue, late or the most stretched one. It is the longest duration where nothing can change them.
// The snapshot is the one that g marked.
//
// As long as they are the same, an auction that started nothing starts nothing later, either: a reservation's place
// depends on which jobs run and not on the time, and the nearer it comes the more bids it keeps off. Another
// reservation might let jobs start that this one kept off.
//
// The duration is at least a second and such that the change has happened when it is over: a guard's job is overdue
// after its instant, not at it.
func (o Options) Steady(s Snapshot, g *Guard) time.Duration {
	first := time.Duration(math.MaxInt64)
	consider := func(at time.Duration) {
		if at >= 0 {
			first = min(first, at.Truncate(time.Second)+time.Second)
		}
	}
	overdue := false
	for _, j := range s.Jobs {
		overdue = overdue || j.Overdue
		if due, known := g.due[j.ID]; known && !j.Overdue {
			consider(due - s.Now)
		}
		if j.Options.Exclusive && !late(j) {
			consider(j.TimeLimit - j.Waited)
		}
	}
	if !overdue && o.Objective.varied(s) {
		s.stretches(consider)
	}
	return first
}

// stretches considers when another job than now may be the most stretched one.
func (s Snapshot) stretches(consider func(time.Duration)) {
	leader := s.stretched()
	for _, j := range s.Jobs {
		switch {
		case j.TimeLimit <= 0:
		case leader < 0:
			consider(stretchedFactor*j.TimeLimit - j.Waited)
		default:
			// (w + t) / L of this job is above that of the leader from t on; only a job with a shorter limit catches up.
			w, l := j.Waited.Seconds(), j.TimeLimit.Seconds()
			leads, limit := s.Jobs[leader].Waited.Seconds(), s.Jobs[leader].TimeLimit.Seconds()
			if l < limit {
				consider(time.Duration((leads*l - w*limit) / (limit - l) * float64(time.Second)))
			}
		}
	}
}
