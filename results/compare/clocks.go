package compare

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// ClockComparison compares two sets of runs of one policy on one workload, each
// under a clock of its own.
type ClockComparison struct {
	Machine  string `json:"machine"`
	Workload string `json:"workload"`
	Policy   string `json:"policy"`
	// A and B say how alike the runs of each set are among themselves.
	A           Repeatability     `json:"a"`
	B           Repeatability     `json:"b"`
	Differences []ClockDifference `json:"differences"`
	Starts      StartDifferences  `json:"starts"`
}

// ClockDifference is the comparison of one metric, in the unit of the title.
type ClockDifference struct {
	Metric string `json:"metric"`
	Name   string `json:"name"`
	A      Sample `json:"a"`
	B      Sample `json:"b"`
	// Mean is B's mean less A's, Interval its 95 % interval by Welch.
	Mean     float64  `json:"mean"`
	Interval Interval `json:"interval"`
	// P is the two-sided probability of Welch's test, Holm the same adjusted for
	// the number of metrics. Both are 1 for a metric with the same value in all
	// runs, which is not counted: it cannot tell anything apart.
	P    float64 `json:"p"`
	Holm float64 `json:"p_holm"`
	// Distinguishable says that Holm is below 5 %.
	Distinguishable bool `json:"distinguishable"`
}

// Clocks asks whether runs under clock a can be told from runs under clock b. All must have the same policy,
// parameters, machine, jobs and Slurm, and all runs of a set the same clock. The two clocks may be the same: such a
// comparison shows what chance alone looks like. The error lists everything that keeps the runs from being
// comparable.
//
// "Not distinguishable" is no proof of equality: a few runs cannot show a small
// difference. How large it may still be is in the intervals.
func Clocks(a, b []metric.Result) (ClockComparison, error) {
	faults := []error{checkSet(a), checkSet(b)}
	if len(a) > 0 && len(b) > 0 {
		if d := a[0].Differences(b[0].Data, trace.Free{Tool: true, Seed: true, Clock: true}); len(d) > 0 {
			faults = append(faults, fmt.Errorf("runs %s and %s differ in more than the clock: %s", a[0].Run.ID, b[0].Run.ID, d))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return ClockComparison{}, fmt.Errorf("compare clocks: %w", err)
	}
	ids, leftOut := commonJobs(slices.Concat(a, b))
	c := ClockComparison{
		Machine: a[0].Run.Machine.Name, Workload: a[0].Run.Workload, Policy: a[0].Run.Policy,
		Starts: compareStarts(startsOf(a, ids), startsOf(b, ids)),
	}
	var errA, errB, err error
	c.A, errA = repeatability(a, ids, leftOut)
	c.B, errB = repeatability(b, ids, leftOut)
	c.Differences, err = clockDifferences(a, b)
	if err = errors.Join(errA, errB, err); err != nil {
		return ClockComparison{}, fmt.Errorf("compare clocks: %w", err)
	}
	c.adjust()
	return c, nil
}

// clockDifferences compares the measures that are known in all runs.
func clockDifferences(a, b []metric.Result) ([]ClockDifference, error) {
	measures := emulationMeasures(a[0].Run.Machine)
	ofA, errA := samples(a, measures)
	ofB, errB := samples(b, measures)
	var list []ClockDifference
	for _, m := range measures {
		sampleA, knownA := ofA[m.Column]
		sampleB, knownB := ofB[m.Column]
		if !knownA || !knownB {
			continue
		}
		d := ClockDifference{Metric: m.Heading(), Name: m.Column, A: sampleA, B: sampleB, Mean: sampleB.Mean - sampleA.Mean, Holm: 1}
		d.Interval, d.P = welch(sampleA, sampleB)
		list = append(list, d)
	}
	return list, errors.Join(errA, errB)
}

// adjust fills in Holm and the verdicts. Metrics with the same means and deviations in both sets are taken as one.
func (c *ClockComparison) adjust() {
	var tested []int
	var p []float64
	var values [][]float64
	for i, d := range c.Differences {
		if !d.constant() {
			tested, p, values = append(tested, i), append(p, d.P), append(values, []float64{d.A.Mean, d.A.Std, d.B.Mean, d.B.Std})
		}
	}
	for k, adjusted := range holmOnce(p, values) {
		d := &c.Differences[tested[k]]
		d.Holm, d.Distinguishable = adjusted, adjusted < significance
	}
}

// constant says that the metric has the same value in all runs.
func (d ClockDifference) constant() bool { return d.A.Std == 0 && d.B.Std == 0 && d.Mean == 0 }

// Distinguishable lists the titles of the metrics that tell the clocks apart.
func (c ClockComparison) Distinguishable() []string {
	var titles []string
	for _, d := range c.Differences {
		if d.Distinguishable {
			titles = append(titles, d.Metric)
		}
	}
	return titles
}

// ByClock groups runs by their clocks, in the order in which these come first.
func ByClock(runs []metric.Result) [][]metric.Result {
	var sets [][]metric.Result
	index := map[string]int{}
	for _, r := range runs {
		clock := r.Run.ClockText()
		at, known := index[clock]
		if !known {
			at = len(sets)
			index[clock] = at
			sets = append(sets, nil)
		}
		sets[at] = append(sets[at], r)
	}
	return sets
}
