package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

// TwinPair is a job with its wait in seconds on the recorded cluster and in the run.
type TwinPair struct {
	Job                workloads.Job
	Recorded, Emulated float64
}

// TwinWaits are the waits of the jobs of a TwinRow, in seconds.
type TwinWaits struct{ Mean, Median, P90 float64 }

// TwinRow compares the waits of some jobs.
type TwinRow struct {
	// By is "" for all jobs, "partition" or "size"; Name what the jobs have in common.
	By, Name           string
	Jobs               int
	Recorded, Emulated TwinWaits
	// Ratio is the emulated mean by the recorded one. As in all figures that follow, a wait of less than a minute
	// counts as a minute: whether a job starts at once or after seconds depends on the cluster's daemons.
	Ratio float64
	// Distance is that of Kolmogorov and Smirnov: the largest difference between the parts of
	// jobs that waited at most so long.
	Distance float64
	// Correlation is Spearman's, of the ranks; NaN if all waits of a side are equal.
	Correlation float64
	// Near is the part of jobs whose emulated wait is within a minute or 25 % of the
	// recorded one.
	Near float64
}

// Twin returns the row of all pairs, then a row for each partition if there are several, then a row for each class of
// sizes. No pairs have no rows.
func Twin(m workloads.Machine, pairs []TwinPair) []TwinRow {
	if len(pairs) == 0 {
		return nil
	}
	rows := []TwinRow{twinRow("", "all jobs", pairs)}
	type key struct {
		rank int
		name string
	}
	divide := func(by string, of func(workloads.Job) key) {
		members := map[key][]TwinPair{}
		for _, p := range pairs {
			k := of(p.Job)
			members[k] = append(members[k], p)
		}
		if len(members) < 2 {
			return
		}
		var keys []key
		for k := range members {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name)) })
		for _, k := range keys {
			rows = append(rows, twinRow(by, k.name, members[k]))
		}
	}
	divide("partition", func(j workloads.Job) key { return key{0, cmp.Or(j.Partition, "the default one")} })
	divide("size", func(j workloads.Job) key {
		rank, name := metric.SizeClass(m, j)
		return key{rank, name}
	})
	return rows
}

func twinRow(by, name string, pairs []TwinPair) TwinRow {
	recorded, emulated := make([]float64, len(pairs)), make([]float64, len(pairs))
	for i, p := range pairs {
		recorded[i], emulated[i] = p.Recorded, p.Emulated
	}
	r := TwinRow{By: by, Name: name, Jobs: len(pairs), Recorded: waitsOf(recorded), Emulated: waitsOf(emulated)}
	near := 0
	for i := range pairs {
		recorded[i], emulated[i] = max(recorded[i], minute), max(emulated[i], minute)
		if math.Abs(emulated[i]-recorded[i]) <= max(minute, nearPart*recorded[i]) {
			near++
		}
	}
	r.Near = float64(near) / float64(len(pairs))
	r.Ratio = stat.Mean(emulated, nil) / stat.Mean(recorded, nil)
	r.Correlation = stat.Correlation(ranks(recorded), ranks(emulated), nil)
	slices.Sort(recorded)
	slices.Sort(emulated)
	r.Distance = stat.KolmogorovSmirnov(recorded, nil, emulated, nil)
	return r
}

func waitsOf(waits []float64) TwinWaits {
	sorted := slices.Sorted(slices.Values(waits))
	return TwinWaits{
		Mean:   stat.Mean(sorted, nil),
		Median: stat.Quantile(0.5, stat.Empirical, sorted, nil),
		P90:    stat.Quantile(0.9, stat.Empirical, sorted, nil),
	}
}

// ranks returns the ranks of the values from 1; equal values share the mean of their ranks.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// The bounds of a TwinVerdict.
const (
	minute, nearPart        = 60.0, 0.25
	jobsNear, jobsInOrder   = 0.8, 0.8
	meanWithin, alikeWithin = 1.25, 0.1
	meanRoughly             = 2
)

// TwinVerdict is what a run is good for as a twin, from the most to the least.
type TwinVerdict string

// The verdicts.
const (
	TwinIdle     TwinVerdict = "idle"
	TwinJobs     TwinVerdict = "jobs"
	TwinAverages TwinVerdict = "averages"
	TwinRoughly  TwinVerdict = "roughly"
	NoTwin       TwinVerdict = "no twin"
)

// JudgeTwin says what the run is good for by the row of all jobs.
func JudgeTwin(all TwinRow) TwinVerdict {
	within := func(factor float64) bool { return all.Ratio <= factor && all.Ratio >= 1/factor }
	switch {
	case all.Recorded.Mean < minute && all.Emulated.Mean < minute:
		return TwinIdle
	case within(meanWithin) && all.Near >= jobsNear && all.Correlation >= jobsInOrder:
		return TwinJobs
	case within(meanWithin) && all.Distance <= alikeWithin:
		return TwinAverages
	case within(meanRoughly):
		return TwinRoughly
	}
	return NoTwin
}

// TwinRule says by which rule a TwinVerdict is made.
const TwinRule = "Rule: fixed bounds on one run; without seeds there is no test."

// Text is the verdict in words.
func (v TwinVerdict) Text() string {
	return map[TwinVerdict]string{
		TwinIdle: "Nobody waits: the mean is less than a minute, both in the record and in the run. The waits neither support nor refute the twin; take a busier time.",
		TwinJobs: fmt.Sprintf("A twin job by job: %.0f %% of the jobs or more wait as long as recorded (within a minute or 25 %%), and in the same order.", 100*jobsNear),
		TwinAverages: fmt.Sprintf("A twin on average: mean wait within a factor of %g, and as many jobs wait for at most so long, within %.0f of 100. "+
			"Single jobs may wait otherwise than recorded.", meanWithin, 100*alikeWithin),
		TwinRoughly: fmt.Sprintf("Roughly a twin: mean wait within a factor of %d. Compare policies and settings with each other on it; do not expect its waits on the cluster.", meanRoughly),
		NoTwin: fmt.Sprintf("No twin: the mean wait differs by more than a factor of %d. What the workload leaves out of the record, such as limits of users, "+
			"reservations or another policy, decides there.", meanRoughly),
	}[v]
}
