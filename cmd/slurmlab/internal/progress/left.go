package progress

import "time"

// basis is how much of the jobs must have ended before the time left is guessed.
const basis = 0.05

// left says how long a run will take, nothing before there is a basis. The time in
// which jobs are submitted and none has ended says nothing about how fast they end.
func (r run) left(now time.Time) string {
	return remaining(share(r.counts.Done, r.total), now.Sub(r.ending))
}

// left says how long all runs will take.
func (m *Model) left(now time.Time) string {
	var began time.Time
	for _, r := range m.runs {
		if !r.began.IsZero() && (began.IsZero() || r.began.Before(began)) {
			began = r.began
		}
	}
	done, jobs, _ := m.sum()
	return remaining(share(done, jobs), now.Sub(began))
}

// remaining guesses that the rest of the jobs take as long, each, as those before.
func remaining(share float64, passed time.Duration) string {
	if share < basis || share >= 1 {
		return ""
	}
	return "about " + About(time.Duration(float64(passed)*(1-share)/share)) + " left"
}
