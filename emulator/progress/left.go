package progress

import (
	"slices"
	"time"
)

// basis is how much of the jobs must have ended before the time left is guessed from them.
const basis = 0.05

// left says how long a run will take, nothing before there is a basis. The time in
// which jobs are submitted and none has ended says nothing about how fast they end.
func (r run) left(now time.Time) string { return told(r.remaining(now)) }

func (r run) remaining(now time.Time) (left time.Duration, known bool) {
	return remaining(share(r.counts.Done, r.total), now.Sub(r.ending))
}

// left says how long all runs will take. Once the last has begun to run that is as long as the slowest; before, the
// estimates of the runs count, and without any the rest of the jobs.
func (m *Model) left(now time.Time) string {
	switch {
	case !slices.ContainsFunc(m.runs, func(r run) bool { return r.stage < Running }):
		return told(m.slowest(now))
	case slices.ContainsFunc(m.runs, func(r run) bool { return r.estimate == 0 }):
		return told(m.ofJobs(now))
	}
	return told(m.estimated(now))
}

// slowest is when the last of the runs that are under way is over.
func (m *Model) slowest(now time.Time) (slowest time.Duration, known bool) {
	known = true
	for _, r := range m.runs {
		if r.live() {
			left, ok := r.remaining(now)
			slowest, known = max(slowest, left), known && ok
		}
	}
	return slowest, known
}

// ofJobs takes the rest of all jobs to end as fast as those before.
func (m *Model) ofJobs(now time.Time) (time.Duration, bool) {
	var began time.Time
	for _, r := range m.runs {
		if !r.began.IsZero() && (began.IsZero() || r.began.Before(began)) {
			began = r.began
		}
	}
	done, jobs, _ := m.sum()
	return remaining(share(done, jobs), now.Sub(began))
}

// estimated takes each run to be as much slower than its estimate as the measured ones are. A run begins where the first
// of those before it ends.
func (m *Model) estimated(now time.Time) (time.Duration, bool) {
	pace, known := m.pace(now)
	if !known {
		return 0, false
	}
	var ends []time.Duration
	for _, r := range m.runs {
		if r.live() {
			ends = append(ends, r.expected(now, pace))
		}
	}
	if len(ends) == 0 {
		ends = make([]time.Duration, 1)
	}
	for _, r := range m.runs {
		if r.stage == Queued {
			ends[slices.Index(ends, slices.Min(ends))] += r.expected(now, pace)
		}
	}
	return slices.Max(ends), true
}

// pace is how many times its estimate a run takes, by those that are complete and those of which enough jobs have ended.
func (m *Model) pace(now time.Time) (pace float64, known bool) {
	var measured, estimated time.Duration
	for _, r := range m.runs {
		took := r.ended.Sub(r.began)
		switch left, ok := r.remaining(now); {
		case r.stage == Running && ok:
			took = now.Sub(r.began) + left
		// What another process made has no duration here.
		case r.stage != Complete || took <= 0:
			continue
		}
		measured, estimated = measured+took, estimated+r.estimate
	}
	return measured.Seconds() / max(estimated.Seconds(), 1e-9), measured > 0
}

// expected is how long a run still takes at that pace, by its own jobs if enough have ended.
func (r run) expected(now time.Time, pace float64) time.Duration {
	if left, ok := r.remaining(now); ok && r.stage == Running {
		return left
	}
	whole := time.Duration(pace * float64(r.estimate))
	if r.began.IsZero() {
		return whole
	}
	return max(0, whole-now.Sub(r.began))
}

// remaining guesses that the rest of the jobs takes as long, each, as those before,
// if there are enough of them.
func remaining(share float64, passed time.Duration) (left time.Duration, known bool) {
	if share < basis {
		return 0, false
	}
	return time.Duration(float64(passed) * (1 - share) / share), true
}

// told is nothing where nothing is known or left.
func told(left time.Duration, known bool) string {
	if !known || left <= 0 {
		return ""
	}
	return "about " + About(left) + " left"
}
