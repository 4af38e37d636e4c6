package auction

import (
	"math"
	"slices"
	"time"
)

// Objective says what an auction maximises.
type Objective string

const (
	// ObjectivePriority is that of the papers, equation (1): P_j + alpha F_i with
	// [Snapshot.Priorities] as P_j. It is what an empty Objective means.
	ObjectivePriority Objective = "priority"
	// ObjectiveValue weighs what a job takes: V_j F_i, see [Values], and of a wide
	// job V_j F_i (1 - first_i / 2|N|), where first_i is the index of the bid's first
	// node: wide jobs follow each other at the beginning of the machine, which keeps
	// them in one piece.
	ObjectiveValue Objective = "value"
)

// Objectives lists all objectives, for messages.
func Objectives() []Objective { return []Objective{ObjectiveValue, ObjectivePriority} }

// coefficients are the objective's, one for each bid, all positive.
func (o Objective) coefficients(s Snapshot, bids []Bid) []float64 {
	if len(bids) == 0 {
		return nil
	}
	all := make([]float64, len(bids))
	if o == ObjectiveValue {
		values, machine := Values(s), s.totals()
		for i, b := range bids {
			all[i] = values[b.Job] * b.Preference
			if machine.share(s.Jobs[b.Job]) > wideShare {
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

// The constants of Values. docs/design/006-value-objective.md has the figures that
// they were chosen by.
const (
	shareExponent = 1.5
	limitExponent = 0.4
	// wideShare is where jobs begin to exclude each other, wideExponent what their
	// share counts for on top.
	wideShare    = 1.0 / 3
	wideExponent = 5
)

// Values returns V_j of each job, scaled so that the least is 1:
//
//	V_j = s_j^1.5 / L_j^0.4                     for s_j <= 1/3
//	V_j = s_j^1.5 (3 s_j)^5 / (L/2)^0.4         for wider jobs
//
// and each V_j counts as often as the job's Weight says. s_j is the dominant share, the larger one of the job's part of all cores and
// its part of all GPUs, L_j its time limit and L the mean of the window's.
//
// The papers' sum of priorities takes many small jobs for one large one, so that
// wide jobs are left over for the end, where they cannot run side by side. An
// exponent of 1 would make two halves worth a whole; above 1 the wide one goes
// first, as in first fit decreasing, and small jobs fill what it leaves. Jobs
// above a third of the machine go one after the other, the widest first, so that
// each can take the place of the one before it, however long they are. The limit
// lets short jobs go before long ones of their size, which is what mean waiting
// and slowdown need.
//
// The order of the queue decides who is in the window, and nothing else. A job
// without a time limit counts like the longest one of the window.
func Values(s Snapshot) []float64 {
	machine := s.totals()
	limits, mean := s.limits()
	values := make([]float64, len(s.Jobs))
	for i, j := range s.Jobs {
		share := machine.share(j)
		limit, wide := limits[i], 1.0
		if share > wideShare {
			limit, wide = mean/2, math.Pow(share/wideShare, wideExponent)
		}
		values[i] = math.Pow(share, shareExponent) * wide / math.Pow(limit, limitExponent)
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

// totals is what a machine has, for shares of it.
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

// of is the larger one of a part of all cores and a part of all GPUs.
func (t totals) of(cores, gpus int) float64 {
	if gpus == 0 || t.gpus == 0 {
		return float64(cores) / t.cores
	}
	return max(float64(cores)/t.cores, float64(gpus)/t.gpus)
}

// share is the dominant share of the job's own request: of a GPU range with the
// least GPUs, of a request without nodes on as few as nodes of largest cores
// allow.
func (t totals) share(j Job) float64 {
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

// occupied is the dominant share of what a bid takes.
func (t totals) occupied(b Bid) float64 {
	cores := 0
	for _, c := range b.Cores {
		cores += c
	}
	return t.of(cores, len(b.Nodes)*b.GPUs)
}
