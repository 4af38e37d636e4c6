package compare

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// confidence is the probability with which the interval holds the true mean.
const confidence = 0.95

// Run is one finished run.
type Run struct {
	Run trace.Run
	// Workload holds the bytes of workload.csv.
	Workload []byte
	Metrics  metric.Metrics
	// Jobs are needed by Clocks and Repeat only.
	Jobs []trace.Job
}

// clock names the clock with its scale.
func (r Run) clock() string {
	return trace.ClockText(r.Run.Clock, r.Run.TimeScale, r.Run.ThinkScale)
}

// Comparison compares policies A and B on one workload and machine.
type Comparison struct {
	Machine  string
	Workload string
	A, B     string
	// Seeds are those of the pairs, ascending.
	Seeds       []uint64
	Differences []Difference
}

// Difference is the comparison of one metric.
type Difference struct {
	// Metric is the name with its unit, as in the table of runs: "Waiting h".
	Metric string
	// Name is the name in CSV: "waiting_mean_h".
	Name string
	// A and B are the means over the replicas, Mean that of the differences b - a.
	A, B, Mean float64
	// Interval is nil for one replica.
	Interval *Interval
	// Better is the policy with the better mean, empty when they are equal.
	Better string
	// Sure says that the interval excludes a difference of zero.
	Sure bool
}

// Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// Compare pairs the runs of policy a with those of policy b by seed. The error
// lists everything that keeps the runs from being comparable.
func Compare(a, b []Run) (Comparison, error) {
	if len(a) == 0 || len(b) == 0 {
		return Comparison{}, fmt.Errorf("compare runs: got %d runs against %d, want at least one each", len(a), len(b))
	}
	var faults []error
	for _, r := range slices.Concat(a, b) {
		faults = append(faults, checkRun(r))
	}
	faults = append(faults, checkSide(a), checkSide(b))
	if a[0].Run.Policy == b[0].Run.Policy {
		faults = append(faults, fmt.Errorf("both sides have policy %s", a[0].Run.Policy))
	}
	if a[0].Run.Workload != b[0].Run.Workload || a[0].Run.Machine != b[0].Run.Machine {
		faults = append(faults, fmt.Errorf("workload %s on %s against %s on %s",
			a[0].Run.Workload, describe(a[0].Run.Machine), b[0].Run.Workload, describe(b[0].Run.Machine)))
	}
	pairs, pairErr := pair(a, b)
	if err := errors.Join(append(faults, pairErr)...); err != nil {
		return Comparison{}, fmt.Errorf("compare runs: %w", err)
	}
	c := Comparison{
		Machine: a[0].Run.Machine.Name, Workload: a[0].Run.Workload,
		A: a[0].Run.Policy, B: b[0].Run.Policy,
	}
	for _, p := range pairs {
		c.Seeds = append(c.Seeds, p[0].Run.Seed)
	}
	for _, m := range measures(a[0].Run.Machine) {
		if d, ok := c.difference(m, pairs); ok {
			c.Differences = append(c.Differences, d)
		}
	}
	return c, nil
}

func describe(m workloads.Machine) string {
	return fmt.Sprintf("machine %s (%d nodes, %d cores, %d GPUs)", m.Name, m.Nodes, m.Cores, m.GPUs)
}

// checkRun refuses a run whose metrics mean nothing or are those of another.
func checkRun(r Run) error {
	if r.Run.Status != trace.StatusComplete {
		return fmt.Errorf("run %s is %s: %s", r.Run.ID, r.Run.Status, r.Run.Reason)
	}
	m := r.Metrics
	if m.Policy != r.Run.Policy || m.Workload != r.Run.Workload || m.Machine != r.Run.Machine.Name || m.Seed != r.Run.Seed || m.Jobs != r.Run.Jobs {
		return fmt.Errorf("run %s: its metrics are of another run (policy %s, workload %s, machine %s, seed %d, %d jobs)",
			r.Run.ID, m.Policy, m.Workload, m.Machine, m.Seed, m.Jobs)
	}
	return nil
}

// checkSide refuses replicas that differ in more than the seed.
func checkSide(side []Run) error {
	var faults []error
	first := side[0].Run
	for _, r := range side[1:] {
		if r.Run.Policy != first.Policy || r.Run.Workload != first.Workload || r.Run.Machine != first.Machine {
			faults = append(faults, fmt.Errorf("run %s (policy %s, workload %s, %s) is no replica of run %s (policy %s, workload %s, %s)",
				r.Run.ID, r.Run.Policy, r.Run.Workload, describe(r.Run.Machine), first.ID, first.Policy, first.Workload, describe(first.Machine)))
		}
		if !bytes.Equal(r.Run.Parameters, first.Parameters) {
			faults = append(faults, fmt.Errorf("run %s has other policy parameters than run %s", r.Run.ID, first.ID))
		}
		if r.Run.PriorityType != first.PriorityType || r.Run.PriorityParameters != first.PriorityParameters {
			faults = append(faults, fmt.Errorf("run %s has other priorities than run %s: %s and %s", r.Run.ID, first.ID, r.Run.PriorityType, first.PriorityType))
		}
	}
	return errors.Join(faults...)
}

// pair matches the runs by seed, ascending.
func pair(a, b []Run) ([][2]Run, error) {
	bySeed := func(x, y Run) int {
		switch {
		case x.Run.Seed < y.Run.Seed:
			return -1
		case x.Run.Seed > y.Run.Seed:
			return 1
		}
		return 0
	}
	a, b = slices.SortedFunc(slices.Values(a), bySeed), slices.SortedFunc(slices.Values(b), bySeed)
	seeds := func(side []Run) []uint64 {
		list := make([]uint64, len(side))
		for i, r := range side {
			list[i] = r.Run.Seed
		}
		return list
	}
	seedsA, seedsB := seeds(a), seeds(b)
	if !slices.Equal(seedsA, seedsB) {
		return nil, fmt.Errorf("policy %s has seeds %d, policy %s has seeds %d", a[0].Run.Policy, seedsA, b[0].Run.Policy, seedsB)
	}
	if distinct := slices.Compact(slices.Clone(seedsA)); len(distinct) < len(seedsA) {
		return nil, fmt.Errorf("a seed is there twice: %d", seedsA)
	}
	var faults []error
	pairs := make([][2]Run, len(a))
	for i := range a {
		pairs[i] = [2]Run{a[i], b[i]}
		faults = append(faults, checkPair(a[i], b[i]))
	}
	return pairs, errors.Join(faults...)
}

// checkPair refuses two runs of a seed that differ in more than the policy.
func checkPair(a, b Run) error {
	err := checkSameWork(a, b)
	if a.clock() != b.clock() {
		err = errors.Join(err, fmt.Errorf("seed %d: runs %s and %s differ in the clock: %s and %s",
			a.Run.Seed, a.Run.ID, b.Run.ID, a.clock(), b.clock()))
	}
	return err
}

// checkSameWork refuses two runs of other jobs or another Slurm.
func checkSameWork(a, b Run) error {
	var faults []error
	fault := func(what string, x, y any) {
		faults = append(faults, fmt.Errorf("seed %d: runs %s and %s differ in %s: %v and %v", a.Run.Seed, a.Run.ID, b.Run.ID, what, x, y))
	}
	if a.Run.SlurmVersion != b.Run.SlurmVersion {
		fault("Slurm version", a.Run.SlurmVersion, b.Run.SlurmVersion)
	}
	if !bytes.Equal(a.Workload, b.Workload) {
		fault("the jobs of workload.csv", fmt.Sprintf("%d bytes", len(a.Workload)), fmt.Sprintf("%d bytes", len(b.Workload)))
	}
	return errors.Join(faults...)
}

// difference compares one measure over all pairs; false when it is unknown in
// some run.
func (c Comparison) difference(m metric.Measure, pairs [][2]Run) (Difference, bool) {
	d := Difference{Metric: m.Heading(), Name: m.Column}
	differences := make([]float64, len(pairs))
	n := float64(len(pairs))
	for i, p := range pairs {
		x, knownX := tableValue(m, p[0].Metrics)
		y, knownY := tableValue(m, p[1].Metrics)
		if !knownX || !knownY {
			return Difference{}, false
		}
		differences[i] = y - x
		d.A += x / n
		d.B += y / n
		d.Mean += (y - x) / n
	}
	_, d.Interval = MeanInterval(differences)
	switch {
	case d.Mean == 0:
	case d.Mean > 0 == (m.Better == metric.Higher):
		d.Better = c.B
	default:
		d.Better = c.A
	}
	d.Sure = d.Interval != nil && (d.Interval.Low > 0 || d.Interval.High < 0)
	return d, true
}

// MeanInterval is the mean and mean ± t(n-1) x s / sqrt(n), where s is the sample
// standard deviation (divided by n-1) and t(n-1) the quantile of Student's
// distribution; the interval is nil for fewer than two values, the mean 0 for
// none.
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
