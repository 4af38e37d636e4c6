package auction

import "github.com/slurmlab/slurmlab/plugin-bridge/bidding"

// Objective says what an auction maximises.
type Objective string

const (
	// ObjectivePriority is the sum of P_j + alpha F_i over the winners, AUCSCHED2
	// equation (1), with [Snapshot.Priorities] as P_j. An empty Objective means this
	// one.
	ObjectivePriority Objective = "priority"
	// ObjectiveValue is the sum of V_j F_i over the winners, where V_j weighs what a job takes ([Rule].Alike). Of a
	// wide job it is V_j F_i (1 - first_i / 2|N|), where first_i is the index of the bid's first node. So wide jobs
	// follow each other at the beginning of the machine, and what is free stays in one piece. The job with the
	// strongest claim may have the [Reservation].
	ObjectiveValue Objective = "value"
	// ObjectiveAdaptive reads the queue. While the time limits of the window are alike, it
	// is ObjectiveValue: there jobs wait equally long by their limits, and large ones first
	// pack best. While they are far apart, V_j are those of [Rule].Apart instead.
	ObjectiveAdaptive Objective = "adaptive"
)

// Objectives lists all objectives, for messages.
func Objectives() []Objective {
	return []Objective{ObjectiveAdaptive, ObjectiveValue, ObjectivePriority}
}

// ByValue reports whether a [Rule] values the jobs.
func (o Objective) ByValue() bool { return o == ObjectiveValue || o == ObjectiveAdaptive }

// coefficients returns the objective's coefficient for each bid; all are positive.
func (o Options) coefficients(s Snapshot, bids []bidding.Bid) []float64 {
	if len(bids) == 0 {
		return nil
	}
	all := make([]float64, len(bids))
	if o.Objective.ByValue() {
		values, totals := o.Worth(s), s.totals()
		for i, b := range bids {
			all[i] = values[b.Job] * b.Preference
			if totals.share(s.Jobs[b.Job]) > wideShare {
				all[i] *= 1 - float64(b.Nodes[0])/float64(2*len(s.Nodes))
			}
		}
		return all
	}
	priorities, weight := s.Priorities(), Alpha(len(bids))
	for i, b := range bids {
		all[i] = priorities[b.Job] + weight*b.Preference
	}
	return all
}

// Worth returns the values of the jobs by the rule, which has one formula for limits that are alike and one for those far apart.
func (o Options) Worth(s Snapshot) []float64 {
	rule := o.rule()
	if o.Objective.varied(s) {
		return rule.Apart.Values(s)
	}
	return rule.Alike.Values(s)
}

// Alpha is the weight of preference against priority: AUCSCHED equation (10), which
// is P_min / (bids + 1), with 1 in place of P_min. Two different sums of
// [Snapshot.Priorities] differ by at least 1, whether these are ranks or larger
// numbers, and preferences must not outweigh that difference (inequality (9)). With a
// P_min of 1000 they could.
func Alpha(bids int) float64 { return 1 / float64(bids+1) }
