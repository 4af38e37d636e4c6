package progress

import "time"

// basis is how much of the jobs must have ended before the time left is guessed.
const basis = 0.05

// left says how long a run will take, nothing before there is a basis. The time in
// which jobs are submitted and none has ended says nothing about how fast they end.
func (r run) left(now time.Time) string {
	return told(remaining(share(r.counts.Done, r.total), now.Sub(r.ending)))
}

// left says how long all runs will take. Once the last has begun to run that is as
// long as the slowest; before, the rest of the jobs counts.
func (m *Model) left(now time.Time) string {
	var began time.Time
	var slowest time.Duration
	running, known := true, true
	for _, r := range m.runs {
		if !r.began.IsZero() && (began.IsZero() || r.began.Before(began)) {
			began = r.began
		}
		running = running && r.stage >= Running
		if r.live() {
			left, ok := remaining(share(r.counts.Done, r.total), now.Sub(r.ending))
			slowest, known = max(slowest, left), known && ok
		}
	}
	if running {
		return told(slowest, known)
	}
	done, jobs, _ := m.sum()
	return told(remaining(share(done, jobs), now.Sub(began)))
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
