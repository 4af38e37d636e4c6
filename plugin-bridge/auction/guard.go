package auction

import (
	"maps"
	"time"
)

// Guard says which jobs are overdue, so that no job is passed over without end. It remembers since when it has known
// each job, and is not safe for concurrent use.
//
// Jobs that are in the queue when the guard first sees job j may start before it; few
// of those that come later shall. The backlog of job j is the time that all running
// and waiting jobs take on a machine without gaps if each runs to its time limit,
//
//	r_j = sum_(running) s_i x remaining_i + sum_(window) s_i L_i + L_j
//
// with s the dominant share and L the time limit. For example, let the window be ten jobs that each take half of the
// machine for an hour, and let nothing run. Then each of them has a backlog of 10 x 0.5 h + 1 h = 6 h. Job j is
// overdue when it has waited factor x r_j.
//
// The first overdue job of the queue has a [Reservation], and therefore starts when
// the jobs that run then have reached their time limits, or before. If k jobs before
// it in the queue are still waiting when it becomes overdue, its whole wait is at most
//
//	factor x r_j + (k + 1) x longest limit.
//
// In r_j a job without a time limit counts like the longest job of the window. While
// jobs without a time limit run, the wait has no bound.
type Guard struct {
	factor float64
	due    map[int]time.Duration // by job id
}

// NewGuard returns a guard; factor 0 means that no job is ever overdue.
func NewGuard(factor float64) *Guard {
	return &Guard{factor: factor, due: make(map[int]time.Duration)}
}

// Mark sets Overdue of the jobs of a window. Snapshot.Now must be on the same clock
// at each call.
func (g *Guard) Mark(s Snapshot) {
	if g.factor <= 0 {
		return
	}
	totals := s.totals()
	backlog := 0.0
	for _, h := range s.Running {
		backlog += totals.held(h.Allocation) * (h.End - s.Now).Seconds()
	}
	limits, _ := s.limits()
	for i, j := range s.Jobs {
		backlog += totals.share(j) * limits[i]
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		due, known := g.due[j.ID]
		if !known {
			due = s.Now + time.Duration(g.factor*(backlog+limits[i])*float64(time.Second))
			g.due[j.ID] = due
		}
		j.Overdue = s.Now > due
	}
}

// Dues are when the jobs that the guard knows become overdue, by their ids, for the guard of
// another agent that goes on with Restore.
func (g *Guard) Dues() map[int]time.Duration { return maps.Clone(g.due) }

// Restore takes over what another guard knew.
func (g *Guard) Restore(dues map[int]time.Duration) { maps.Copy(g.due, dues) }

// Keep forgets all jobs but those that still wait.
func (g *Guard) Keep(waits map[int]bool) {
	maps.DeleteFunc(g.due, func(id int, _ time.Duration) bool { return !waits[id] })
}
