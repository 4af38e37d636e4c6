package compare

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/results/metric"
)

// closeStarts is the largest difference, in virtual seconds, between starts
// that count as close: a second of accounting at the submission that times are
// counted from and one at the start.
const closeStarts = 2

// Repeatability says how alike runs are that differ in nothing that can be set.
type Repeatability struct {
	// Clock is the clock of all runs, with its scale.
	Clock string
	Runs  int
	// Jobs counts those that started in all runs; only they are compared. The
	// rest is LeftOut.
	Jobs, LeftOut int
	Metrics       []Variation
	// EqualStarts and CloseStarts count the jobs whose starts are equal, and at
	// most 2 s apart, in all pairs of runs.
	EqualStarts, CloseStarts int
	// SameOrder counts the first jobs that start in the same order in all runs.
	SameOrder int
	// Pairs is the distribution of |difference of starts| over all jobs and all
	// pairs of runs.
	Pairs Distribution
}

// Variation is the spread of one metric over the runs, in the unit of the title.
type Variation struct {
	Metric, Name string
	Sample       Sample
}

// Repeat compares runs of the same policy, jobs and clock with each other. The
// error lists everything that makes them runs of different things.
func Repeat(runs []Run) (Repeatability, error) {
	if err := checkSet(runs); err != nil {
		return Repeatability{}, fmt.Errorf("compare repeated runs: %w", err)
	}
	ids, leftOut := commonJobs(runs)
	return repeatability(runs, ids, leftOut), nil
}

// checkSet refuses sets too small for a deviation and runs that differ in
// something that can be set.
func checkSet(runs []Run) error {
	if len(runs) < 2 {
		return fmt.Errorf("got %d runs, want at least 2", len(runs))
	}
	var faults []error
	for _, r := range runs {
		faults = append(faults, checkRun(r))
		if len(r.Jobs) != r.Run.Jobs {
			faults = append(faults, fmt.Errorf("run %s: got %d jobs, it has %d", r.Run.ID, len(r.Jobs), r.Run.Jobs))
		}
	}
	for _, r := range runs[1:] {
		faults = append(faults, checkPair(runs[0], r))
	}
	return errors.Join(append(faults, checkSide(runs))...)
}

func repeatability(runs []Run, ids []int, leftOut int) Repeatability {
	s := startsOf(runs, ids)
	r := Repeatability{
		Clock: runs[0].clock(), Runs: len(runs), Jobs: len(ids), LeftOut: leftOut,
		SameOrder: s.sameOrder(), Pairs: newDistribution(s.within()),
	}
	for _, apart := range s.ranges() {
		if apart == 0 {
			r.EqualStarts++
		}
		if apart <= closeStarts {
			r.CloseStarts++
		}
	}
	for _, m := range append(clockMeasures(runs[0].Run.Machine), speedMeasure()) {
		if sample, ok := sampleOf(m, runs); ok {
			r.Metrics = append(r.Metrics, Variation{Metric: m.Heading(), Name: m.Column, Sample: sample})
		}
	}
	return r
}

// sampleOf takes a measure of all runs; false when it is unknown in some.
func sampleOf(m metric.Measure, runs []Run) (Sample, bool) {
	values := make([]float64, len(runs))
	for i, r := range runs {
		v, known := tableValue(m, r.Metrics)
		if !known {
			return Sample{}, false
		}
		values[i] = v
	}
	return newSample(values), true
}
