package auction

import "time"

// Guard says which jobs are overdue, so that no job is passed over for ever. It
// remembers since when it has known each job, and is not safe for concurrent use.
//
// A job that the guard has not seen before may be overtaken by what is in the
// queue then, but not by much that comes later. The backlog is the time that all
// of it takes on a machine that packs perfectly and runs every job to its limit,
//
//	r_j = sum_(running) s_i x remaining_i + sum_(window) s_i L_i + L_j
//
// with s the dominant share and L the time limit. The job is overdue when it has
// waited Factor x r_j from then on. The first overdue job of the queue has a
// [Reservation], hence starts no later than the longest limit of the jobs that run
// then. So with k jobs before it in the queue that wait still when it becomes
// overdue, its whole wait is at most
//
//	Factor x r_j + (k + 1) x longest limit.
//
// A job without a time limit counts like the longest one of the window in r_j;
// while such jobs run, there is no bound.
type Guard struct {
	factor float64
	due    map[int]time.Duration // by job id
}

// NewGuard returns a guard; factor 0 means that no job is ever overdue.
func NewGuard(factor float64) *Guard {
	return &Guard{factor: factor, due: make(map[int]time.Duration)}
}

// Mark sets Overdue of the jobs of a window. now is the time of any clock that is
// the same at each call.
func (g *Guard) Mark(now time.Duration, s Snapshot) {
	if g.factor <= 0 {
		return
	}
	machine := s.totals()
	backlog := 0.0
	for _, o := range s.Running {
		backlog += machine.occupied(o.Bid) * o.Remaining.Seconds()
	}
	limits, _ := s.limits()
	for i, j := range s.Jobs {
		backlog += machine.share(j) * limits[i]
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		due, known := g.due[j.ID]
		if !known {
			due = now + time.Duration(g.factor*(backlog+limits[i])*float64(time.Second))
			g.due[j.ID] = due
		}
		j.Overdue = now > due
	}
}
