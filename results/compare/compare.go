package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// confidence is the probability with which the interval holds the true mean.
const confidence = 0.95

// Comparison compares policies, backends, machines or lists of events A and B on one workload.
type Comparison struct {
	// Machine is that of both sides, empty where machines are compared.
	Machine  string
	Workload string
	// Backend is that of both sides, the zero one where backends are compared.
	Backend trace.Backend
	// Events is the label of the events of both sides, empty where these are compared.
	Events string
	// Policy is that of both sides, empty where policies are compared.
	Policy string
	trace.Sides
	// Kind says what the replicas are of each other.
	Kind Kind
	// Seeds of the pairs, ascending, and Windows of the workload that they ran, 0 for the whole. Both have an entry
	// for each pair.
	Seeds       []uint64
	Windows     []int
	Differences []MetricDifference
	// Starts compare the starts of each job within the pairs; only backends, which are not to move them, have some.
	Starts []PairedStarts
	// Failed counts the jobs of all runs that did not end as planned, of Jobs, and Unstarted those that never started.
	Failed, Unstarted, Jobs int
}

// MetricDifference is the comparison of one metric.
type MetricDifference struct {
	// Metric is the name with its unit, as in the table of runs: "Waiting time h".
	Metric string
	// Name is the name in CSV: "waiting_mean_h". Words is the name in a sentence:
	// "waiting time".
	Name, Words string
	// A and B are the means over the replicas, Mean the mean of the differences b - a.
	A, B, Mean float64
	// RangeA and RangeB are the least and the largest value of each side.
	RangeA, RangeB Range
	// Interval is nil for one replica and for repetitions.
	Interval *Interval
	// Better is the side with the better mean, empty when they are equal.
	Better string
	// Sure says that the interval excludes a difference of zero, and is more than a
	// point of a few equal differences; see enoughSigns.
	Sure bool
	// Needed is the number of replicas that would show a difference as large as the observed one with a probability
	// of 80 %. It is 0 where Sure, without an interval, without a difference, and above 1000; see needed.
	Needed int
	// pairs are the differences b - a, base the values of a, in the order of the seeds and
	// windows.
	pairs, base []float64
	measure     metric.Measure
}

// Range is the least and the largest of some values.
type Range struct{ Min, Max float64 }

// apart says that all values of one range are below all of the other.
func (r Range) apart(other Range) bool { return r.Max < other.Min || other.Max < r.Min }

// Interval is a confidence interval; nil is none.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// LowEnd is Low, NaN without an interval.
func (i *Interval) LowEnd() float64 {
	if i == nil {
		return math.NaN()
	}
	return i.Low
}

// HighEnd is High, NaN without an interval.
func (i *Interval) HighEnd() float64 {
	if i == nil {
		return math.NaN()
	}
	return i.High
}

// Compare pairs the runs of side a with the runs of side b by seed and window. The sides are two policies or, under
// one policy, two backends, machines or lists of events. The error lists everything that keeps the runs from being comparable.
func Compare(a, b []metric.Result) (Comparison, error) {
	if len(a) == 0 || len(b) == 0 {
		return Comparison{}, fmt.Errorf("compare runs: got %d runs against %d, want at least one each", len(a), len(b))
	}
	// Sums of the same numbers in another order may differ in their last digit, so
	// the order of the arguments must not matter.
	a, b = inOrder(a), inOrder(b)
	faults := []error{checkReplicas(a), checkReplicas(b)}
	sides := trace.SidesOf(a[0].Run.Settings, b[0].Run.Settings)
	if sides.A == sides.B {
		faults = append(faults, fmt.Errorf("both sides have policy %s and backend %s", a[0].Run.Policy, sides.A))
	}
	if err := errors.Join(append(faults, pair(sides, a, b))...); err != nil {
		return Comparison{}, fmt.Errorf("compare runs: %w", err)
	}
	c := Comparison{
		Machine: a[0].Run.Machine.Name, Workload: a[0].Run.Workload, Backend: a[0].Run.Backend, Events: a[0].Run.EventsLabel(),
		Sides: sides, Kind: kindOf(a),
	}
	if sides.Of != trace.OfPolicies {
		c.Policy = a[0].Run.Policy
	}
	switch sides.Of {
	case trace.OfBackends:
		c.Starts, c.Backend = pairedStarts(a, b), trace.Backend{}
	case trace.OfMachines:
		c.Machine = ""
	case trace.OfEvents:
		c.Events = ""
	case trace.OfPolicies:
	}
	for _, r := range a {
		c.Seeds, c.Windows = append(c.Seeds, r.Run.Seed), append(c.Windows, r.Run.Window)
	}
	for _, r := range slices.Concat(a, b) {
		c.Failed, c.Jobs = c.Failed+r.Metrics.Failed, c.Jobs+r.Metrics.Jobs
		if never := r.Metrics.NeverStarted; never != nil {
			c.Unstarted += *never
		}
	}
	var err error
	c.Differences, err = c.differences(a, b)
	return c, err
}

// differences compares the measures of the sides pair by pair; one that is unknown in
// some run is left out.
func (c Comparison) differences(a, b []metric.Result) ([]MetricDifference, error) {
	compared := measures(a[0].Run.Machine)
	if c.Of == trace.OfBackends {
		compared = emulationMeasures(a[0].Run.Machine)
	}
	pairs, err := join(a, b, compared)
	if err != nil {
		return nil, err
	}
	groups, err := pairs.GroupBy("measure", "a", "b")
	if err != nil {
		return nil, err
	}
	var list []MetricDifference
	for _, m := range compared {
		if group := groups[m.Column]; len(group["a"]) == len(c.Seeds) {
			list = append(list, c.difference(m, group["a"], group["b"]))
		}
	}
	return list, nil
}

// join has a row for each pair and measure with the values a and b of its runs.
func join(a, b []metric.Result, measures []metric.Measure) (table.Frame, error) {
	side := func(runs []metric.Result, name string) (table.Frame, error) {
		long, err := table.Long(runs, measures)
		if err != nil {
			return long, err
		}
		return long.Select(table.As{Column: "seed", Name: "seed"}, table.As{Column: "window", Name: "window"}, table.As{Column: "measure", Name: "measure"}, table.As{Column: "value", Name: name})
	}
	left, errA := side(a, "a")
	right, errB := side(b, "b")
	if err := errors.Join(errA, errB); err != nil {
		return table.Frame{}, err
	}
	return left.Join(right, "seed", "window", "measure")
}

// difference compares one measure over all pairs.
func (c Comparison) difference(m metric.Measure, a, b []float64) MetricDifference {
	d := MetricDifference{
		measure: m, Metric: m.Heading(), Name: m.Column, Words: Words(m),
		RangeA: Range{slices.Min(a), slices.Max(a)}, RangeB: Range{slices.Min(b), slices.Max(b)},
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	d.pairs, d.base = differences, a
	d.A, _ = MeanInterval(a)
	d.B, _ = MeanInterval(b)
	d.Mean, d.Interval = MeanInterval(differences)
	if c.Kind == Repetitions {
		d.Interval = nil
	}
	switch {
	case d.Mean == 0:
	case d.Mean > 0 == (m.Better == metric.Higher):
		d.Better = c.B
	default:
		d.Better = c.A
	}
	if d.Interval == nil {
		return d
	}
	s := newSample(differences).Std
	if d.Mean != 0 && s <= rounding*math.Abs(d.Mean) && len(differences) < enoughSigns {
		d.Needed = enoughSigns
		return d
	}
	d.Sure = d.Interval.Low > 0 || d.Interval.High < 0
	if !d.Sure {
		d.Needed, _ = needed(d.Mean, s)
	}
	return d
}

// MeanInterval is the mean and mean ± t(n-1) x s / sqrt(n). s is the sample standard deviation (divided by n-1) and
// t(n-1) the quantile of Student's distribution. The interval is nil for fewer than two values, the mean 0 for none.
func MeanInterval(values []float64) (mean float64, interval *Interval) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) < 2 {
		return mean, nil
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	half := t * math.Sqrt(squares/(n-1)/n)
	return mean, &Interval{Low: mean - half, High: mean + half}
}
