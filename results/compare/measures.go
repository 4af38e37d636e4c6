package compare

import (
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/workloads"
)

const secondsPerHour = 3600

// measure is a metric that a policy can be good or bad at.
type measure struct {
	title, name  string
	moreIsBetter bool
	// value is in the unit of the title; false means unknown.
	value func(metric.Metrics) (float64, bool)
}

// measures lists what is compared, in the order of the table of runs. Less is
// better in all but utilisation. Theoretical runtime and lower bound belong to
// the workload and cannot differ. A machine without GPUs has no GPU row.
func measures(m workloads.Machine) []measure {
	list := []measure{
		less("Failed jobs", "failed", func(m metric.Metrics) float64 { return float64(m.Failed) }),
		less("Runtime h", "runtime_h", func(m metric.Metrics) float64 { return m.Runtime / secondsPerHour }),
		more("CPU util %", "cpu_utilization_percent", func(m metric.Metrics) float64 { return 100 * m.CPUUtilization }),
	}
	if m.GPUs > 0 {
		list = append(list, more("GPU util %", "gpu_utilization_percent", func(m metric.Metrics) float64 { return 100 * m.GPUUtilization }))
	}
	return append(list,
		less("Waiting h", "waiting_mean_h", func(m metric.Metrics) float64 { return m.Waiting.Mean / secondsPerHour }),
		less("Turnaround h", "turnaround_mean_h", func(m metric.Metrics) float64 { return m.Turnaround.Mean / secondsPerHour }),
		less("Slowdown", "slowdown_mean", func(m metric.Metrics) float64 { return m.Slowdown.Mean }),
		less("Bounded slowdown", "bounded_slowdown_mean", func(m metric.Metrics) float64 { return m.BoundedSlowdown.Mean }),
		less("Fragmentation", "fragmentation_mean", func(m metric.Metrics) float64 { return m.Fragmentation.Mean }),
		less("Spread", "spread_mean", func(m metric.Metrics) float64 { return m.Spread.Mean }),
		less("Packing", "packing_mean", func(m metric.Metrics) float64 { return m.Packing.Mean }),
		measure{title: "Cycle s", name: "cycle_mean_s", value: func(m metric.Metrics) (float64, bool) {
			if m.Cycle.Mean == nil {
				return 0, false
			}
			return *m.Cycle.Mean, true
		}},
	)
}

// truthMeasures say how truly a run kept the times of its workload.
func truthMeasures() []measure {
	return []measure{
		less("Elapsed error s", "elapsed_error_mean_s", func(m metric.Metrics) float64 { return m.ElapsedError.Mean }),
		less("Largest elapsed error s", "elapsed_error_max_s", func(m metric.Metrics) float64 { return m.ElapsedError.Max }),
		less("Arrival lag s", "arrival_lag_max_s", func(m metric.Metrics) float64 { return m.ArrivalLagMax }),
	}
}

// speedMeasure is what a clock is chosen for.
func speedMeasure() measure {
	return measure{title: "Speed", name: "speed", moreIsBetter: true, value: func(m metric.Metrics) (float64, bool) {
		if m.Speed == nil {
			return 0, false
		}
		return *m.Speed, true
	}}
}

func less(title, name string, value func(metric.Metrics) float64) measure {
	return measure{title: title, name: name, value: func(m metric.Metrics) (float64, bool) { return value(m), true }}
}

func more(title, name string, value func(metric.Metrics) float64) measure {
	m := less(title, name, value)
	m.moreIsBetter = true
	return m
}
