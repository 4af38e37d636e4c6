package compare

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// relabellings is the number of random ways to deal the runs into two sets; with
// it the smallest probability is 1/10000. The dealing is the same every time.
const relabellings = 9999

// Distribution describes seconds by nearest rank: the smallest value that at
// least half, 95 % and all of them do not exceed. All is 0 of no values.
type Distribution struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

func newDistribution(values []float64) Distribution {
	if len(values) == 0 {
		return Distribution{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Distribution{Median: metric.NearestRank(sorted, 0.5), P95: metric.NearestRank(sorted, 0.95), Max: sorted[len(sorted)-1]}
}

// StartDifferences says how far the starts of the jobs under one clock are from
// those under the other, in virtual seconds after the first submission.
type StartDifferences struct {
	// Pairs is over all jobs and all pairs of a run of A and a run of B. If the
	// clocks make no difference it looks like the pairs within a set.
	Pairs Distribution `json:"pairs_s"`
	// Means is over all jobs: mean start in A against mean start in B.
	Means Distribution `json:"means_s"`
	// P is the probability that runs dealt into two sets at random have means at
	// least as far apart, taken over all jobs together.
	P float64 `json:"p"`
}

// starts holds the start of each job in each run of a set.
type starts [][]float64

// commonJobs lists the jobs that started in all runs, ascending, and counts the
// others.
func commonJobs(runs []metric.Result) (ids []int, leftOut int) {
	count := map[int]int{}
	for _, r := range runs {
		for _, j := range r.Jobs {
			if j.Start != trace.NeverStarted {
				count[j.ID]++
			}
		}
	}
	for _, j := range runs[0].Jobs {
		if count[j.ID] == len(runs) {
			ids = append(ids, j.ID)
		}
	}
	slices.Sort(ids)
	return ids, len(runs[0].Jobs) - len(ids)
}

func startsOf(runs []metric.Result, ids []int) starts {
	index := make(map[int]int, len(ids))
	for i, id := range ids {
		index[id] = i
	}
	s := make(starts, len(runs))
	for i, r := range runs {
		s[i] = make([]float64, len(ids))
		for _, j := range r.Jobs {
			if k, ok := index[j.ID]; ok {
				s[i][k] = j.Start
			}
		}
	}
	return s
}

// between lists |difference| of every job for every pair of runs of a and b.
func between(a, b starts) []float64 {
	var out []float64
	for _, x := range a {
		for _, y := range b {
			for job := range x {
				out = append(out, math.Abs(x[job]-y[job]))
			}
		}
	}
	return out
}

// within is between for the pairs of runs of one set.
func (s starts) within() []float64 {
	var out []float64
	for i := range s {
		out = append(out, between(s[:i], s[i:i+1])...)
	}
	return out
}

// ranges gives, for each job, its latest start less its earliest.
func (s starts) ranges() []float64 {
	out := make([]float64, len(s[0]))
	for job := range out {
		earliest, latest := s[0][job], s[0][job]
		for _, run := range s[1:] {
			earliest, latest = min(earliest, run[job]), max(latest, run[job])
		}
		out[job] = latest - earliest
	}
	return out
}

// sameOrder counts the first jobs that start in the same order in all runs. Jobs
// of the same second count as in the order of their ids.
func (s starts) sameOrder() int {
	orders := make([][]int, len(s))
	for i, run := range s {
		order := make([]int, len(run))
		for job := range order {
			order[job] = job
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(run[x], run[y]) })
		orders[i] = order
	}
	for n := range orders[0] {
		for _, order := range orders[1:] {
			if order[n] != orders[0][n] {
				return n
			}
		}
	}
	return len(orders[0])
}

// meanDifferences gives, for each job, |mean start in a - mean start in b|.
func meanDifferences(a, b starts) []float64 {
	out := make([]float64, len(a[0]))
	for job := range out {
		sumA, sumB := 0.0, 0.0
		for _, run := range a {
			sumA += run[job]
		}
		for _, run := range b {
			sumB += run[job]
		}
		out[job] = math.Abs(sumA/float64(len(a)) - sumB/float64(len(b)))
	}
	return out
}

// compareStarts computes the distributions exactly. P comes from a permutation test whose statistic is the mean of
// meanDifferences. The actual dealing counts as one of the random ones, so that P is never 0 (Phipson and Smyth,
// "Permutation P-values should never be zero", 2010).
func compareStarts(a, b starts) StartDifferences {
	d := StartDifferences{P: 1}
	if len(a[0]) == 0 {
		return d
	}
	means := meanDifferences(a, b)
	d.Pairs, d.Means = newDistribution(between(a, b)), newDistribution(means)
	// Starts are whole seconds, so that equal dealings have equal sums.
	actual := stat.Mean(means, nil)
	dealt := slices.Concat(a, b)
	random := rand.New(rand.NewPCG(1, 1))
	asFar := 1
	for range relabellings {
		random.Shuffle(len(dealt), func(i, k int) { dealt[i], dealt[k] = dealt[k], dealt[i] })
		if stat.Mean(meanDifferences(dealt[:len(a)], dealt[len(a):]), nil) >= actual {
			asFar++
		}
	}
	d.P = float64(asFar) / (relabellings + 1)
	return d
}
