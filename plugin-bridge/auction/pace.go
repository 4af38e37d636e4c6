package auction

import "time"

// Pace is how soon a cycle should follow the one before while jobs wait. It is the interval. Where jobs are short it
// is a fiftieth of the mean run time of recently ended jobs, but at least a second. Then what a job leaves stands
// idle for a hundredth of a run on average. For example, behind jobs of 30 s an interval of 5 s would leave a twelfth
// of the machine idle.
//
// The interval is not shorter for all, since cores that become free within a few seconds are better shared out
// together. V.2 has 2 to 3 % more utilisation with 5 s than with 2 (docs/records/006-real-queues).
type Pace struct{ mean time.Duration }

const (
	// paceRuns is over how many ends the mean decays.
	paceRuns = 10
	// pacePart is the part of a run time that an interval takes at most.
	pacePart = 50
)

// Ended counts a job that ran for so long.
func (p *Pace) Ended(ran time.Duration) {
	if p.mean == 0 {
		p.mean = ran
		return
	}
	p.mean += (ran - p.mean) / paceRuns
}

// Interval is the time from one cycle to the next, at most the interval of the policy.
func (p *Pace) Interval(most time.Duration) time.Duration {
	if p.mean <= 0 {
		return most
	}
	return min(most, max(time.Second, p.mean/pacePart))
}

// Mean is what the pace knows, for Resume of another one.
func (p *Pace) Mean() time.Duration { return p.mean }

// Resume goes on with what another pace knew.
func (p *Pace) Resume(mean time.Duration) { p.mean = mean }
