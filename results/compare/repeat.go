package compare

import (
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// closeStarts is the largest difference, in virtual seconds, between starts
// that count as close: a second of accounting at the submission that times are
// counted from and one at the start.
const closeStarts = 2

// Repeatability says how alike runs are that differ in nothing that can be set.
type Repeatability struct {
	// Clock is the clock of all runs, with its scale.
	Clock string `json:"clock"`
	Runs  int    `json:"runs"`
	// Jobs counts those that started in all runs; only they are compared. The
	// rest is LeftOut.
	Jobs    int         `json:"jobs"`
	LeftOut int         `json:"jobs_left_out"`
	Metrics []Variation `json:"metrics"`
	// EqualStarts and CloseStarts count the jobs whose starts are equal, and at
	// most 2 s apart, in all pairs of runs.
	EqualStarts int `json:"jobs_with_equal_starts"`
	CloseStarts int `json:"jobs_with_close_starts"`
	// SameOrder counts the first jobs that start in the same order in all runs.
	SameOrder int `json:"jobs_in_same_order"`
	// Pairs is the distribution of |difference of starts| over all jobs and all
	// pairs of runs.
	Pairs Distribution `json:"start_differences_s"`
}

// Variation is the spread of one metric over the runs, in the unit of the title.
type Variation struct {
	Metric string `json:"metric"`
	Name   string `json:"name"`
	Sample Sample `json:"sample"`
}

// Repeat compares runs of the same policy, jobs and clock with each other. The
// error lists everything that makes them runs of different things.
func Repeat(runs []metric.Result) (Repeatability, error) {
	if err := checkSet(runs); err != nil {
		return Repeatability{}, fmt.Errorf("compare repeated runs: %w", err)
	}
	ids, leftOut := commonJobs(runs)
	return repeatability(runs, ids, leftOut)
}

// checkSet refuses sets too small for a deviation and runs that differ in
// something that can be set.
func checkSet(runs []metric.Result) error {
	if len(runs) < 2 {
		return fmt.Errorf("got %d runs, want at least 2", len(runs))
	}
	faults := []error{checkRepeated(runs)}
	for _, r := range runs {
		if len(r.Jobs) != r.Run.Jobs {
			faults = append(faults, fmt.Errorf("run %s: got %d jobs, it has %d", r.Run.ID, len(r.Jobs), r.Run.Jobs))
		}
	}
	return errors.Join(faults...)
}

func repeatability(runs []metric.Result, ids []int, leftOut int) (Repeatability, error) {
	s := startsOf(runs, ids)
	r := Repeatability{
		Clock: runs[0].Run.ClockText(), Runs: len(runs), Jobs: len(ids), LeftOut: leftOut,
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
	measures := append(emulationMeasures(runs[0].Run.Machine), speedMeasure())
	of, err := samples(runs, measures)
	for _, m := range measures {
		if sample, ok := of[m.Column]; ok {
			r.Metrics = append(r.Metrics, Variation{Metric: m.Heading(), Name: m.Column, Sample: sample})
		}
	}
	return r, err
}

// samples has a sample of each measure, by its name in CSV, over the runs; one that
// is unknown in some run has none.
func samples(runs []metric.Result, measures []metric.Measure) (map[string]Sample, error) {
	long, err := table.Long(runs, measures)
	if err != nil {
		return nil, err
	}
	groups, err := long.GroupBy("measure", "value")
	if err != nil {
		return nil, err
	}
	list := map[string]Sample{}
	for name, group := range groups {
		if len(group["value"]) == len(runs) {
			list[name] = newSample(group["value"])
		}
	}
	return list, nil
}
