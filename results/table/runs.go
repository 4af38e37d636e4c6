package table

import (
	"fmt"

	"github.com/slurmlab/slurmlab/results/metric"
)

const secondsPerHour = 3600

// Runs makes the table of runs: one row per element of metrics, in its order,
// and the columns in the order of the papers' tables (AUCSCHED tables 5-8,
// AUCSCHED2 table 3), in their units: hours and per cent. The last columns say
// how the run's time was kept, because runs of different clocks do not compare.
func Runs(metrics []metric.Metrics) (Table, error) {
	columns := []Column{
		{Title: "Machine", Names: []string{"machine"}, Left: true},
		{Title: "Workload", Names: []string{"workload"}, Left: true},
		{Title: "Policy", Names: []string{"policy"}, Left: true},
		{Title: "Seed", Names: []string{"seed"}},
		{Title: "Jobs completed", Names: []string{"completed", "jobs"}},
		{Title: "Theo. runtime h", Names: []string{"theoretical_runtime_h"}},
		{Title: "Lower bound h", Names: []string{"lower_bound_h"}},
		{Title: "Runtime h", Names: []string{"runtime_h"}},
		{Title: "CPU util %", Names: []string{"cpu_utilization_percent"}},
		{Title: "GPU util %", Names: []string{"gpu_utilization_percent"}},
		{Title: "Waiting h", Names: []string{"waiting_mean_h", "waiting_std_h"}},
		{Title: "Slowdown", Names: []string{"slowdown_mean", "slowdown_std"}},
		{Title: "Bounded slowdown", Names: []string{"bounded_slowdown_mean", "bounded_slowdown_std"}},
		{Title: "Fragmentation", Names: []string{"fragmentation_mean", "fragmentation_std"}},
		{Title: "Spread", Names: []string{"spread_mean", "spread_std"}},
		{Title: "Packing", Names: []string{"packing_mean", "packing_std"}},
		{Title: "Cycle s", Names: []string{"cycle_mean_s", "cycle_max_s"}},
		{Title: "Placement", Names: []string{"placement_exact", "placement_checked"}},
		{Title: "Clock", Names: []string{"clock", "time_scale", "think_scale"}, Left: true},
		{Title: "Speed", Names: []string{"speed", "real_s"}},
		{Title: "Elapsed error s", Names: []string{"elapsed_error_mean_s", "elapsed_error_max_s", "elapsed_exact", "elapsed_within_1s"}},
	}
	rows := make([][]Cell, len(metrics))
	for i, m := range metrics {
		rows[i] = []Cell{
			Text(m.Machine), Text(m.Workload), Text(m.Policy), Count(m.Seed),
			outOf(m.Completed, m.Jobs),
			hours(m.TheoreticalRuntime), hours(m.LowerBound), hours(m.Runtime),
			Number(100*m.CPUUtilization, 1), Number(100*m.GPUUtilization, 1),
			MeanStd(m.Waiting.Mean/secondsPerHour, m.Waiting.Std/secondsPerHour, 2),
			meanStd(m.Slowdown), meanStd(m.BoundedSlowdown), meanStd(m.Fragmentation),
			meanStd(m.Spread), meanStd(m.Packing), cycle(m.Cycle), placement(m.Placement),
			clock(m), speed(m), elapsedError(m.ElapsedError),
		}
	}
	return New(columns, rows)
}

func hours(seconds float64) Cell { return Number(seconds/secondsPerHour, 2) }

func meanStd(m metric.MeanStd) Cell { return MeanStd(m.Mean, m.Std, 2) }

func outOf(part, whole int) Cell {
	return Cell{Shown: fmt.Sprintf("%d/%d", part, whole), Values: []string{fmt.Sprint(part), fmt.Sprint(whole)}}
}

// cycle shows the mean; CSV has the maximum too.
func cycle(c metric.CycleCost) Cell {
	if c.Mean == nil || c.Max == nil {
		return Unknown(2)
	}
	return Cell{Shown: Fixed(*c.Mean, 3), Values: []string{exact(*c.Mean), exact(*c.Max)}}
}

func placement(p *metric.PlacementCount) Cell {
	if p == nil {
		return Unknown(2)
	}
	return outOf(p.Exact, p.Checked)
}

func clock(m metric.Metrics) Cell {
	return Cell{Shown: Text(m.ClockText()).Shown, Values: []string{Text(m.Clock).Shown, exact(m.TimeScale), exact(m.ThinkScale)}}
}

func speed(m metric.Metrics) Cell {
	if m.Speed == nil {
		return Unknown(2)
	}
	return Cell{Shown: Fixed(*m.Speed, 1), Values: []string{exact(*m.Speed), exact(m.RealSeconds)}}
}

// elapsedError shows the largest one; CSV has the others too.
func elapsedError(e metric.ElapsedError) Cell {
	return Cell{
		Shown:  exact(e.Max),
		Values: []string{exact(e.Mean), exact(e.Max), fmt.Sprint(e.Exact), fmt.Sprint(e.WithinSecond)},
	}
}
