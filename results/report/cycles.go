package report

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// mismatch is a job that Slurm placed elsewhere than planned.
type mismatch struct {
	Job, Cycle      int
	Planned, Actual string
}

func mismatches(t metric.CycleTotals) []mismatch {
	var rows []mismatch
	for _, m := range t.Mismatches {
		rows = append(rows, mismatch{m.Job, m.Cycle, text.OrNothing(m.Planned), text.OrNothing(m.Actual)})
	}
	return rows
}

// statistic is a row of the table of cycles: mean, 99th percentile (nearest
// rank) and maximum over all cycles.
type statistic struct {
	Name, Unit, Mean, P99, Max string
}

// cycleStatistics describes the work of the agent's passes. It is nil without
// cycles.
func cycleStatistics(cycles []trace.Cycle) []statistic {
	if len(cycles) == 0 {
		return nil
	}
	var out []statistic
	for _, row := range []struct {
		name, unit string
		value      func(trace.Cycle) float64
	}{
		{"whole cycle", "real ms", func(c trace.Cycle) float64 { return c.Milliseconds() }},
		{"snapshot", "real ms", func(c trace.Cycle) float64 { return c.SnapshotMS }},
		{"bids", "real ms", func(c trace.Cycle) float64 { return c.BidsMS }},
		{"solve", "real ms", func(c trace.Cycle) float64 { return c.SolveMS }},
		{"release", "real ms", func(c trace.Cycle) float64 { return c.ReleaseMS }},
		{"waiting jobs", "", func(c trace.Cycle) float64 { return float64(c.Pending) }},
		{"jobs in the window", "", func(c trace.Cycle) float64 { return float64(c.Window) }},
		{"free cores", "", func(c trace.Cycle) float64 { return float64(c.FreeCores) }},
		{"free GPUs", "", func(c trace.Cycle) float64 { return float64(c.FreeGPUs) }},
		{"bids made", "", func(c trace.Cycle) float64 { return float64(c.Bids) }},
		{"rows of the program", "", func(c trace.Cycle) float64 { return float64(c.Rows) }},
		{"columns of the program", "", func(c trace.Cycle) float64 { return float64(c.Columns) }},
		{"non-zeros of the program", "", func(c trace.Cycle) float64 { return float64(c.NonZero) }},
		{"jobs released", "", func(c trace.Cycle) float64 { return float64(len(c.Released)) }},
	} {
		values := make([]float64, len(cycles))
		for i, c := range cycles {
			values[i] = row.value(c)
		}
		out = append(out, newStatistic(row.name, row.unit, values))
	}
	// A negative gap is unknown.
	var gaps []float64
	for _, c := range cycles {
		if c.Gap >= 0 {
			gaps = append(gaps, 100*c.Gap)
		}
	}
	if len(gaps) > 0 {
		out = append(out, newStatistic("gap to the bound, where known", "%", gaps))
	}
	return out
}

func newStatistic(name, unit string, values []float64) statistic {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return statistic{
		Name: name, Unit: unit,
		Mean: text.Number(sum / float64(len(values))), P99: text.Number(metric.NearestRank(values, 0.99)), Max: text.Number(values[len(values)-1]),
	}
}

// cycleFacts are the counts over all cycles.
func cycleFacts(cycles []trace.Cycle, t metric.CycleTotals) []fact {
	if len(cycles) == 0 {
		return nil
	}
	classes, solver := make(map[string]int), make(map[string]int)
	for _, c := range cycles {
		if c.Solver != "" {
			solver[c.Solver]++
		}
		for _, r := range c.Released {
			classes[r.Class]++
		}
	}
	facts := []fact{
		{"cycles", count(len(cycles))},
		{"solver status", text.OrNothing(text.Counts(solver))},
		{"jobs released", withDetail(t.Released, text.Counts(classes), "by class of bid")},
		{"releases refused", withDetail(len(t.Refused), text.Counts(metric.Reasons(t.Refused)), "")},
		{"jobs held again", withDetail(len(t.Reheld), text.Counts(metric.Reasons(t.Reheld)), "")},
		{"winners deferred", count(t.Deferred)},
		{"bids dropped by the limit", count(t.BidsCut)},
	}
	if cycles[0].Program != nil || len(t.Faults) > 0 {
		facts = append(facts, fact{"faults of the program", text.OrNothing(text.Counts(t.Faults))}, fact{"starts of the program after a fault", count(t.Restarts)})
	}
	return facts
}

func withDetail(n int, detail, what string) string {
	switch {
	case n == 0:
		return "0"
	case what == "":
		return fmt.Sprintf("%d (%s)", n, detail)
	default:
		return fmt.Sprintf("%d (%s: %s)", n, what, detail)
	}
}
