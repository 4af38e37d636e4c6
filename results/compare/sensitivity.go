package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Sensitivity is what the values of one setting do to the metrics.
type Sensitivity struct {
	Sweep
	// Reference is the policy that the others are compared with, empty for none.
	Reference string
	Curves    []Curve
}

// Curve is a line of a Sweep on one machine, workload and backend: policies that differ in the value of one setting
// alone.
type Curve struct {
	Machine, Name, With string
	Backend             trace.Backend
	// Replicas counts the seeds or windows that all policies of the curve have, and the reference where
	// it has any; the means are over those.
	Replicas int
	Kind     Kind
	// Referred says that the reference is there.
	Referred bool
	Points   []CurvePoint
}

// CurvePoint is a value of the setting and what it does to each metric.
type CurvePoint struct {
	SweepPoint
	Metrics []MetricAt
}

// MetricAt is a metric under one policy, in the unit of tables.
type MetricAt struct {
	metric.Measure
	Value Estimate
	// Difference of the values less the reference's within each replica, unknown for the reference itself.
	Difference Estimate
}

// Estimate is a mean, NaN where it is unknown, with its 95 % interval, nil where there is none.
type Estimate struct {
	Mean     float64
	Interval *Interval
	Method   Method
}

// Sensitivities weigh the settings that have several values; one without a curve of two values or
// more is left out. The reference of a setting is the policy that the first of the pairs compares one of its policies with. The
// names of workloads are what name says of a run.
func Sensitivities(runs []metric.Result, sweeps []Sweep, pairs [][2]string, name func(metric.Result) string) []Sensitivity {
	setups, of := bySetup(runs, name)
	var all []Sensitivity
	for _, sweep := range sweeps {
		s := Sensitivity{Sweep: sweep, Reference: reference(sweep, pairs)}
		for _, p := range setups {
			for _, line := range sweep.Lines {
				c := newCurve(line, s.Reference, of[p])
				c.Machine, c.Name, c.Backend, c.With = p.machine, p.workload, p.backend, line.With
				if len(c.Points) > 1 && c.Replicas > 0 {
					s.Curves = append(s.Curves, c)
				}
			}
		}
		if len(s.Curves) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// reference is what the pairs compare the policies of a sweep with.
func reference(s Sweep, pairs [][2]string) string {
	for _, pair := range pairs {
		for _, line := range s.Lines {
			if slices.ContainsFunc(line.Points, func(p SweepPoint) bool { return p.Policy == pair[1] }) {
				return pair[0]
			}
		}
	}
	return ""
}

// newCurve is a line over the runs of one setup, by policy. A value without a run is left out.
func newCurve(line SweepLine, reference string, of map[string][]metric.Result) Curve {
	var c Curve
	var sides [][]metric.Result
	for _, p := range line.Points {
		if len(of[p.Policy]) > 0 {
			c.Points, sides = append(c.Points, CurvePoint{SweepPoint: p}), append(sides, of[p.Policy])
		}
	}
	base := of[reference]
	c.Referred = len(base) > 0
	if len(sides) == 0 {
		return c
	}
	common := slices.Clone(sides)
	if c.Referred {
		common = append(common, base)
	}
	for i := range common {
		for _, other := range common {
			common[i] = partners(common[i], other)
		}
		common[i] = inOrder(common[i])
	}
	if c.Replicas = len(common[0]); c.Replicas == 0 {
		return c
	}
	c.Kind = kindOf(common[0])
	for i := range c.Points {
		var against []metric.Result
		if c.Referred && c.Points[i].Policy != reference {
			against = common[len(common)-1]
		}
		for _, m := range measures(common[0][0].Run.Machine) {
			c.Points[i].Metrics = append(c.Points[i].Metrics, c.metricAt(m, common[i], against))
		}
	}
	return c
}

// metricAt is a metric of runs in order, and its difference to as many others, nil for none.
func (c Curve) metricAt(m metric.Measure, runs, against []metric.Result) MetricAt {
	unknown := Estimate{Mean: math.NaN()}
	at := MetricAt{Measure: m, Value: unknown, Difference: unknown}
	values, known := valuesOf(m, runs)
	if known {
		at.Value = c.estimate(values)
	}
	others, knownOthers := valuesOf(m, against)
	if !known || !knownOthers || len(others) != len(values) {
		return at
	}
	for i := range values {
		values[i] -= others[i]
	}
	at.Difference = c.estimate(values)
	return at
}

// valuesOf returns the values of a measure in the unit of tables; it is false where one is unknown.
func valuesOf(m metric.Measure, runs []metric.Result) ([]float64, bool) {
	var values []float64
	for _, r := range runs {
		v, known := m.Value(*r.Metrics)
		if !known {
			return nil, false
		}
		values = append(values, m.Unit.InTable(v))
	}
	return values, true
}

// estimate is the mean; repetitions of the same jobs and single runs have no interval.
func (c Curve) estimate(values []float64) Estimate {
	mean, _ := MeanInterval(values)
	e := Estimate{Mean: mean}
	if len(values) > 1 && c.Kind != Repetitions {
		e.Interval, e.Method, _ = weigh(values)
	}
	return e
}

// sensitivityRow is one metric at one value of one curve.
type sensitivityRow struct {
	of    Sensitivity
	curve Curve
	point CurvePoint
	at    MetricAt
}

// SensitivityTable has a row for each value of each setting on each machine, workload and backend, and each metric.
func SensitivityTable(all []Sensitivity) (table.Table, error) {
	var rows []sensitivityRow
	for _, s := range all {
		for _, c := range s.Curves {
			for _, p := range c.Points {
				for _, at := range p.Metrics {
					rows = append(rows, sensitivityRow{s, c, p, at})
				}
			}
		}
	}
	frame, err := table.NewFrame(rows,
		table.Word("policy", func(r sensitivityRow) string { return r.of.Policy }),
		table.Word("setting", func(r sensitivityRow) string { return r.of.Setting }),
		table.Word("value", func(r sensitivityRow) string { return r.point.Value }),
		table.Word("other_settings", func(r sensitivityRow) string { return r.curve.With }),
		table.Word("machine", func(r sensitivityRow) string { return r.curve.Machine }),
		table.Word("workload", func(r sensitivityRow) string { return r.curve.Name }),
		table.Word("backend", func(r sensitivityRow) string { return r.curve.Backend.Form }),
		table.Word("slurm", func(r sensitivityRow) string { return r.curve.Backend.Series }),
		table.Word("metric", func(r sensitivityRow) string { return r.at.Column }),
		table.Word(".metric", func(r sensitivityRow) string { return r.at.Heading() }),
		table.Number("n", func(r sensitivityRow) float64 { return float64(r.curve.Replicas) }),
		table.Word("replica", func(r sensitivityRow) string { return string(r.curve.Kind) }),
		table.Number("mean", func(r sensitivityRow) float64 { return r.at.Value.Mean }),
		table.Number("interval_low", func(r sensitivityRow) float64 { return r.at.Value.Interval.LowEnd() }),
		table.Number("interval_high", func(r sensitivityRow) float64 { return r.at.Value.Interval.HighEnd() }),
		table.Word("interval_by", func(r sensitivityRow) string { return string(r.at.Value.Method) }),
		table.Word("reference", func(r sensitivityRow) string {
			if !r.curve.Referred {
				return ""
			}
			return r.of.Reference
		}),
		table.Number("difference", func(r sensitivityRow) float64 { return r.at.Difference.Mean }),
		table.Number("difference_low", func(r sensitivityRow) float64 { return r.at.Difference.Interval.LowEnd() }),
		table.Number("difference_high", func(r sensitivityRow) float64 { return r.at.Difference.Interval.HighEnd() }),
		table.Word("difference_by", func(r sensitivityRow) string { return string(r.at.Difference.Method) }))
	if err != nil {
		return table.Table{}, fmt.Errorf("tabulate settings: %w", err)
	}
	t, err := table.New(frame,
		table.Words("Policy", "policy").AsIdentity(), table.Words("Setting", "setting").AsIdentity(), table.Words("Value", "value"),
		table.Words("Other settings", "other_settings").AsIdentity(),
		table.Words("Machine", "machine").AsIdentity(), table.Words("Workload", "workload").AsIdentity(), table.Backend(), metricColumn(),
		table.Numbers("n", "n", 0).Ranked(5), table.Column{Names: []string{"replica"}},
		table.Numbers("Mean", "mean", decimals).Ranked(1),
		table.Intervals("95 % interval", "interval_low", "interval_high", decimals, "none").Ranked(2), table.Column{Names: []string{"interval_by"}},
		table.Words("Reference", "reference").Ranked(4), table.Numbers("Difference", "difference", decimals).Ranked(3),
		table.Intervals("95 % interval of the difference", "difference_low", "difference_high", decimals, "none").Ranked(3), table.Column{Names: []string{"difference_by"}})
	if err != nil {
		return table.Table{}, fmt.Errorf("tabulate settings: %w", err)
	}
	return t, nil
}
