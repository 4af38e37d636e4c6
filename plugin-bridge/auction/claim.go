package auction

import (
	"math"
	"time"
)

const (
	// stretchedFactor is how many of its time limits a job waits before it counts as
	// stretched.
	stretchedFactor = 10
	// longQueue is from how many mean time limits of work on a queue is long
	// (docs/records/006-real-queues, Reservations by claim).
	longQueue = 8
)

// claim is how strongly a job that is not overdue asks for the [Reservation], as long as it waits. It grows evenly.
//
//   - While the time limits of the window are far apart, a claim is w / L, the wait by the time limit, and one of up to
//     stretchedFactor asks for nothing.
//   - While they are alike it is s^Share / L^Limit (1 + w / L) with the exponents of [Rule].Alike: the value of the job
//     without what wide jobs have more, times its Weight and the slowdown that it has by now if it runs to its limit. Claims count if
//     the queue is long and has wide jobs (Snapshot.crowded). Without them the nodes that come free one by one go to small jobs, as these
//     fit there, and short jobs of a tenth to a third of the machine wait longer than under backfill, which keeps
//     nodes free for the first job of its order. In a short queue, or where no job is wide, a value alone finds room
//     for all, and draining costs more than it gains.
//
// A job without a time limit has no claim.
type claim struct {
	// now is the claim at the time of the snapshot, growth by how much it grows in a second.
	now, growth float64
}

// claims returns the claim of each job of the window, nil if the objective knows none. allowed is for how many of its
// time limits the job with the strongest one may keep nodes free.
func (o Options) claims(s Snapshot) (claims []claim, allowed float64) {
	rule, totals := o.rule(), s.totals()
	varied := o.Objective.varied(s)
	switch {
	case varied:
		allowed = math.Inf(1)
	case o.Objective.ByValue() && rule.Drain > 0 && s.crowded():
		allowed = rule.Drain
	default:
		return nil, 0
	}
	claims = make([]claim, len(s.Jobs))
	for i, j := range s.Jobs {
		if j.TimeLimit <= 0 {
			continue
		}
		limit, wait := j.TimeLimit.Seconds(), j.Waited.Seconds()
		c := claim{now: wait / limit, growth: 1 / limit}
		if varied {
			c.now -= stretchedFactor
		} else {
			value := math.Pow(totals.share(j), rule.Alike.Share) / math.Pow(limit, rule.Alike.Limit)
			if j.Weight > 0 {
				value *= j.Weight
			}
			c = claim{now: value * (1 + c.now), growth: value * c.growth}
		}
		claims[i] = c
	}
	return claims, allowed
}

// crowded reports whether some job of the window is wide, and its jobs are work for the whole machine for longQueue of their
// mean time limits.
func (s Snapshot) crowded() bool {
	t := s.totals()
	limits, mean := s.limits()
	work, wide := 0.0, false
	for i, j := range s.Jobs {
		share := t.share(j)
		work += share * limits[i]
		wide = wide || share > wideShare
	}
	return wide && work >= longQueue*mean
}

// claimed returns the reservation of the job with the strongest claim, nil if there is none. early is how long it is
// until the nodes may be kept free for it: for so many of its time limits.
func (s Snapshot) claimed(claims []claim, allowed float64) (r *Reservation, early time.Duration) {
	j := strongest(claims)
	if j < 0 {
		return nil, 0
	}
	if r = s.earliest(j, nil); r == nil {
		return nil, 0
	}
	return r, time.Duration(max(0, r.At.Seconds()-allowed*s.Jobs[j].TimeLimit.Seconds()) * float64(time.Second))
}

// strongest is the first job with the strongest claim, -1 if none has one.
func strongest(claims []claim) int {
	at, most := -1, 0.0
	for i, c := range claims {
		if c.now > most {
			at, most = i, c.now
		}
	}
	return at
}

// overtaken reports the instants from now at which another job may come to have the strongest claim. That is after an
// instant, or from it on where that job comes first in the window and leads among equals.
func overtaken(claims []claim, after, from func(time.Duration)) {
	leader, at := claim{}, strongest(claims)
	if at >= 0 {
		leader = claims[at]
	}
	for i, c := range claims {
		if c.growth <= leader.growth {
			continue
		}
		equal := time.Duration((leader.now - c.now) / (c.growth - leader.growth) * float64(time.Second))
		if i < at {
			from(equal)
		} else {
			after(equal)
		}
	}
}
