package auction

import (
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Objective says what an auction maximises.
type Objective string

const (
	// ObjectivePriority is the sum of P_j + alpha F_i over the winners, AUCSCHED2
	// equation (1), with [Snapshot.Priorities] as P_j. An empty Objective means this
	// one.
	ObjectivePriority Objective = "priority"
	// ObjectiveValue is the sum of V_j F_i over the winners, where V_j weighs what a
	// job takes ([Values]). Of a wide job it is V_j F_i (1 - first_i / 2|N|), where
	// first_i is the index of the bid's first node: so wide jobs follow each other
	// at the beginning of the machine, and what is free stays in one piece.
	ObjectiveValue Objective = "value"
	// ObjectiveAdaptive reads the queue. While the time limits of the window are alike, it
	// is ObjectiveValue: there the order hardly matters for waiting and slowdown, and
	// packing decides. While they are far apart, V_j are [ServiceValues] instead, and the
	// job that has waited longest by its limit may have the [Reservation].
	ObjectiveAdaptive Objective = "adaptive"
)

// Objectives lists all objectives, for messages.
func Objectives() []Objective {
	return []Objective{ObjectiveAdaptive, ObjectiveValue, ObjectivePriority}
}

// coefficients returns the objective's coefficient for each bid; all are positive.
func (o Objective) coefficients(s Snapshot, bids []bidding.Bid) []float64 {
	if len(bids) == 0 {
		return nil
	}
	all := make([]float64, len(bids))
	if o == ObjectiveValue || o == ObjectiveAdaptive {
		values, totals := Values(s), s.totals()
		if o.varied(s) {
			values = ServiceValues(s)
		}
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

// Alpha is the weight of preference against priority: AUCSCHED equation (10), which
// is P_min / (bids + 1), with 1 in place of P_min. Two different sums of
// [Snapshot.Priorities] differ by at least 1, whether these are ranks or larger
// numbers, and preferences must not outweigh that difference (inequality (9)). With a
// P_min of 1000 they could.
func Alpha(bids int) float64 { return 1 / float64(bids+1) }

// The constants of Values. docs/experiments/006-value-objective.md has the figures that
// they were chosen by.
const (
	shareExponent = 1.5
	limitExponent = 0.4
	// wideShare is the share from which on jobs count as wide, since few of them
	// fit on the machine at the same time. wideExponent is the exponent of the
	// further factor of their value.
	wideShare    = 1.0 / 3
	wideExponent = 5
)

// Values returns V_j of each job, scaled so that the least is 1:
//
//	V_j = s_j^1.5 / L_j^0.4                     for s_j <= 1/3
//	V_j = s_j^1.5 (3 s_j)^5 / (L/2)^0.4         for wider jobs
//
// and this times the job's Weight, if it has one. s_j is the job's dominant share: the
// larger one of its part of all cores and its part of all GPUs. L_j is its time limit,
// and L the mean time limit of the window.
//
// Under the papers' sum of priorities many small jobs outweigh a large one, so that
// wide jobs are left over for the end, where they cannot run side by side. If values
// were proportional to s_j, two jobs of half the machine would be worth as much as
// one job of the whole; with an exponent above 1 the wide job is worth more and goes
// first, and small jobs fill what it leaves, as in bin packing by first fit
// decreasing. Jobs above a third of the machine go one after the other, the widest
// first, so that each can take the place of the one before it; for these the time
// limit does not count. Among other jobs of equal size the short ones go first, which
// lowers the mean waiting time and the mean slowdown.
//
// The order of the queue decides which jobs are in the window, and nothing else. A
// job without a time limit counts like the longest job of the window.
func Values(s Snapshot) []float64 {
	totals := s.totals()
	limits, mean := s.limits()
	values := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		share := totals.share(j)
		limit, wide := limits[i], 1.0
		if share > wideShare {
			limit, wide = mean/2, math.Pow(share/wideShare, wideExponent)
		}
		values[i] = math.Pow(share, shareExponent) * wide / math.Pow(limit, limitExponent)
	}
	return weighted(s, values)
}

// The constants of ServiceValues and of the choice between it and Values.
// docs/experiments/006-real-queues.md has the figures that they were chosen by.
const (
	// variedLimits is the standard deviation of the logarithms of the time limits above
	// which they count as varied. The papers' workloads have 0.4 to 0.7, the windows of the
	// real queues that the constants were chosen on 0.9 to 2.4.
	variedLimits        = 0.75
	serviceWideExponent = 3
	// stretchedFactor is how many of its time limits a job waits before it counts as
	// stretched.
	stretchedFactor = 10
)

// ServiceValues returns another V_j of each job, scaled so that the least is 1:
//
//	V_j = s_j / L_j (1 + w_j / L_j) max(1, 3 s_j)^3
//
// and this times the job's Weight, if it has one. s_j and L_j are those of [Values], w_j
// is how long the job has waited.
//
// Per part of the machine a job is worth 1 / L_j: so short jobs go first, as in Smith's
// rule for the least mean waiting time. 1 + w_j / L_j is the slowdown that the job has by
// now if it runs to its limit, so that long jobs do not wait for ever and the slowdowns
// of users come nearer to each other. Wide jobs are worth more, as in Values, but not
// whatever their limit.
func ServiceValues(s Snapshot) []float64 {
	totals := s.totals()
	limits, _ := s.limits()
	values := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		share := totals.share(j)
		values[i] = share / limits[i] * (1 + j.Waited.Seconds()/limits[i]) * math.Pow(max(1, share/wideShare), serviceWideExponent)
	}
	return weighted(s, values)
}

// weighted multiplies the values by the weights of the jobs, and scales them so that the
// least is 1.
func weighted(s Snapshot, values []float64) []float64 {
	for i, j := range s.Jobs {
		if j.Weight > 0 {
			values[i] *= j.Weight
		}
	}
	if len(values) > 0 {
		least := slices.Min(values)
		for i := range values {
			values[i] /= least
		}
	}
	return values
}

// varied reports whether the objective is the adaptive one and the time limits of the
// window are far apart.
func (o Objective) varied(s Snapshot) bool {
	if o != ObjectiveAdaptive || len(s.Jobs) == 0 {
		return false
	}
	limits, _ := s.limits()
	mean, squares := 0.0, 0.0
	for i := range limits {
		limits[i] = math.Log(limits[i])
		mean += limits[i] / float64(len(limits))
	}
	for _, l := range limits {
		squares += (l - mean) * (l - mean) / float64(len(limits))
	}
	return squares > variedLimits*variedLimits
}

// limits returns the time limits in seconds, and their mean.
func (s Snapshot) limits() (limits []float64, mean float64) {
	longest := time.Second
	for _, j := range s.Jobs {
		longest = max(longest, j.TimeLimit)
	}
	limits = make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		limits[i] = longest.Seconds()
		if j.TimeLimit > 0 {
			limits[i] = j.TimeLimit.Seconds()
		}
		mean += limits[i] / float64(len(s.Jobs))
	}
	return limits, mean
}

// totals is what all nodes of a machine have together.
type totals struct {
	cores, gpus float64
	// largest is the number of cores of the largest node.
	largest int
}

func (s Snapshot) totals() totals {
	t := totals{largest: 1}
	for _, n := range s.Nodes {
		t.cores += float64(n.Cores)
		t.gpus += float64(n.GPUs)
		t.largest = max(t.largest, n.Cores)
	}
	return t
}

// of returns the dominant share of some cores and GPUs: the larger one of their part
// of all cores and their part of all GPUs.
func (t totals) of(cores, gpus int) float64 {
	if gpus == 0 || t.gpus == 0 {
		return float64(cores) / t.cores
	}
	return max(float64(cores)/t.cores, float64(gpus)/t.gpus)
}

// share is the dominant share of the job's own request, with the least GPUs of a
// range. A request without a number of nodes counts as on the fewest nodes on which
// it could run.
func (t totals) share(j bidding.Job) float64 {
	nodes := j.Nodes
	if nodes == 0 {
		perNode := t.largest
		if j.CoresPerNode > 0 {
			perNode = j.CoresPerNode
		}
		nodes = (j.Tasks() + perNode - 1) / perNode
	}
	return t.of(j.Tasks(), nodes*j.GPUs)
}

// held is the dominant share of the cores and GPUs that a running job holds.
func (t totals) held(a machine.Allocation) float64 {
	return t.of(a.TotalCores(), len(a.Nodes)*a.GPUs)
}
