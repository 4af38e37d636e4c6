package auction

import "time"

const (
	// haste is how much longer a search may take for a gain that is worth as much as that time.
	// Proofs of idle machines that take longer than their selection take seconds.
	haste = time.Second
	// enoughLimit is the largest part of the value that may be left to gain, for jobs of
	// minutes.
	enoughLimit = 0.01
)

// enough is the [Problem.Enough] of a snapshot's program. All winners start later by the time that a search takes
// longer. Its gain lasts as long as jobs run, at most their time limit on the average. So a gain of less than haste
// over that limit is not worth haste. With jobs of an hour that is 0.03 %.
//
// [ObjectivePriority] is the papers', whose programs are solved until their time limit.
func (o Objective) enough(s Snapshot) float64 {
	if !o.ByValue() {
		return 0
	}
	total, limited := time.Duration(0), 0
	for _, j := range s.Jobs {
		if j.TimeLimit > 0 {
			total += j.TimeLimit
			limited++
		}
	}
	if limited == 0 {
		return 0
	}
	return min(enoughLimit, haste.Seconds()*float64(limited)/total.Seconds())
}
