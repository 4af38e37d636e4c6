package report

import (
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/results/metric"
)

// direction says which way a metric gets better.
type direction int

const (
	neither direction = iota
	lower
	higher
)

// measure is one metric as the report shows it.
type measure struct {
	name string
	// unit stands behind the value; empty for ratios.
	unit string
	// definition is that of results/metric in a sentence.
	definition string
	better     direction
	// fraction values are shown in per cent and compared in percentage points.
	fraction bool
	// value is compared between runs; NaN is unknown.
	value func(metric.Metrics) float64
	// text is what is shown; nil shows the value as a number.
	text func(metric.Metrics) string
}

func (m measure) show(v metric.Metrics) string {
	switch {
	case m.text != nil:
		return m.text(v)
	case m.fraction:
		return percent(m.value(v))
	default:
		return number(m.value(v))
	}
}

// measures lists all metrics in the order of the report.
func measures() []measure {
	return []measure{
		{"Jobs completed", "jobs", "Jobs that Slurm accounts as COMPLETED, of all jobs of the workload.", higher, false,
			func(m metric.Metrics) float64 { return float64(m.Completed) },
			func(m metric.Metrics) string { return fmt.Sprintf("%d of %d", m.Completed, m.Jobs) }},
		{"Runtime", "s", "From the first submission to the last end (makespan).", lower, false,
			func(m metric.Metrics) float64 { return m.Runtime }, nil},
		{"Theoretical runtime", "s", "Sum of run time × cores of all jobs, divided by all cores.", neither, false,
			func(m metric.Metrics) float64 { return m.TheoreticalRuntime }, nil},
		{"Lower bound", "s", "No schedule of these jobs on this machine can be shorter: linear-programming bound over the mixes of requests that fit on one node, never below the longest job.", neither, false,
			func(m metric.Metrics) float64 { return m.LowerBound }, nil},
		{"CPU utilisation", "", "Theoretical runtime / runtime.", higher, true,
			func(m metric.Metrics) float64 { return m.CPUUtilization }, nil},
		{"GPU utilisation", "", "Allocated GPU-seconds / (GPUs × runtime).", higher, true,
			func(m metric.Metrics) float64 { return m.GPUUtilization }, nil},
		spreadMeasure("Waiting time", "s", "Start − submission, over the jobs that started.",
			func(m metric.Metrics) metric.MeanStd { return m.Waiting }),
		spreadMeasure("Turnaround time", "s", "End − submission.",
			func(m metric.Metrics) metric.MeanStd { return m.Turnaround }),
		spreadMeasure("Slowdown", "", "Turnaround / execution.",
			func(m metric.Metrics) metric.MeanStd { return m.Slowdown }),
		spreadMeasure("Bounded slowdown", "", "Turnaround / execution, where an execution counts at least 10 s; at least 1.",
			func(m metric.Metrics) metric.MeanStd { return m.BoundedSlowdown }),
		spreadMeasure("Fragmentation", "blocks", "Contiguous blocks of nodes of a job.",
			func(m metric.Metrics) metric.MeanStd { return m.Fragmentation }),
		spreadMeasure("Spread", "", "(Last node index − first + 1) / nodes of a job.",
			func(m metric.Metrics) metric.MeanStd { return m.Spread }),
		spreadMeasure("Packing", "", "Nodes of a job / the fewest nodes it could have got.",
			func(m metric.Metrics) metric.MeanStd { return m.Packing }),
		optionalMeasure("Cycle, mean", "Real time that one pass of the scheduler thinks.",
			func(m metric.Metrics) *float64 { return m.Cycle.Mean }),
		optionalMeasure("Cycle, 99th percentile", "The time that 99 % of the passes do not exceed; Slurm does not tell it for its own.",
			func(m metric.Metrics) *float64 { return m.Cycle.P99 }),
		optionalMeasure("Cycle, longest", "The longest pass.",
			func(m metric.Metrics) *float64 { return m.Cycle.Max }),
		{"Elapsed error, largest", "s", "|Execution − run time| of a completed job.", neither, false,
			func(m metric.Metrics) float64 { return m.ElapsedError.Max }, nil},
		{"Real time", "s", "Real time of the run, from the first submission to the last end.", neither, false,
			func(m metric.Metrics) float64 { return m.RealSeconds }, nil},
		{"Speed", "", "Runtime / real time.", neither, false,
			func(m metric.Metrics) float64 { return orNaN(m.Speed) }, nil},
	}
}

func spreadMeasure(name, unit, definition string, get func(metric.Metrics) metric.MeanStd) measure {
	return measure{
		name: name, unit: unit, definition: definition + " Mean ± standard deviation over jobs.", better: lower,
		value: func(m metric.Metrics) float64 { return get(m).Mean },
		text:  func(m metric.Metrics) string { return meanStd(get(m)) },
	}
}

func optionalMeasure(name, definition string, get func(metric.Metrics) *float64) measure {
	return measure{
		name: name, unit: "s", definition: definition, better: lower,
		value: func(m metric.Metrics) float64 { return orNaN(get(m)) },
	}
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
