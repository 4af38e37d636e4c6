package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// mismatches lists the jobs that Slurm placed elsewhere than planned.
func mismatches(cycles []trace.Cycle) []Section {
	t := Table{Class: "mismatches"}
	for _, m := range metric.TotalCycles(cycles).Mismatches {
		t.Rows = append(t.Rows, []Cell{count(m.Job), count(m.Cycle), code(text.OrNothing(m.Planned)), code(text.OrNothing(m.Actual))})
	}
	return t.first(maxListed).withHeader("Job", "Cycle", "Planned", "Actual").part("Placements that differ from the plan")
}

// cycles describes the work of the agent's cycles: counts over all of them, and of each quantity of a cycle the mean,
// the 99th percentile (nearest rank) and the largest. Cycles in which nobody was asked are only counted.
func cycles(all []trace.Cycle) []Section {
	if len(all) == 0 {
		return nil
	}
	cycles, of := slices.DeleteFunc(slices.Clone(all), trace.Cycle.Waited), "Per cycle"
	if len(cycles) < len(all) {
		of = "Per cycle that asked the program"
	}
	if len(cycles) == 0 {
		return []Section{{Title: "Cycles of the agent", Tables: []Table{cycleFacts(all)}}}
	}
	t := Table{Class: "cycles"}
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
		{"constraints of the program", "", func(c trace.Cycle) float64 { return float64(c.Rows) }},
		{"variables of the program", "", func(c trace.Cycle) float64 { return float64(c.Columns) }},
		{"non-zeros of the program", "", func(c trace.Cycle) float64 { return float64(c.NonZero) }},
		{"jobs released", "", func(c trace.Cycle) float64 { return float64(len(c.Released)) }},
	} {
		values := make([]float64, len(cycles))
		for i, c := range cycles {
			values[i] = row.value(c)
		}
		t.Rows = append(t.Rows, statistic(row.name, row.unit, values))
	}
	// A negative gap is unknown.
	var gaps []float64
	for _, c := range cycles {
		if c.Gap >= 0 {
			gaps = append(gaps, 100*c.Gap)
		}
	}
	if len(gaps) > 0 {
		t.Rows = append(t.Rows, statistic("gap to the bound, where known", "%", gaps))
	}
	return []Section{{Title: "Cycles of the agent", Tables: []Table{cycleFacts(all), t.withHeader(of, "Mean", "99th percentile", "Largest")}}}
}

func statistic(what, unit string, values []float64) []Cell {
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return []Cell{
		named(what, unit),
		number(text.Number(sum / float64(len(values)))), number(text.Number(metric.NearestRank(values, 0.99))), number(text.Number(values[len(values)-1])),
	}
}

// cycleFacts are the counts over all cycles.
func cycleFacts(cycles []trace.Cycle) Table {
	classes, solver := make(map[string]int), make(map[string]int)
	for _, c := range cycles {
		if c.Solver != "" {
			solver[c.Solver]++
		}
		for _, r := range c.Released {
			classes[r.Class]++
		}
	}
	total := metric.TotalCycles(cycles)
	t := Table{Class: "facts", Rows: [][]Cell{
		fact("cycles", strconv.Itoa(len(cycles))),
		fact("solver status", text.OrNothing(text.Counts(solver))),
		fact("jobs released", withDetail(total.Released, text.Counts(classes), "by class of bid")),
		fact("releases refused", withDetail(len(total.Refused), text.Counts(metric.Reasons(total.Refused)), "")),
		fact("jobs held again", withDetail(len(total.Reheld), text.Counts(metric.Reasons(total.Reheld)), "")),
		fact("winners deferred", strconv.Itoa(total.Deferred)),
		fact("bids dropped by the limit", strconv.Itoa(total.BidsCut)),
	}}
	if cycles[0].Program != nil || len(total.Faults) > 0 {
		t.Rows = append(t.Rows, fact("faults of the program", text.OrNothing(text.Counts(total.Faults))),
			fact("starts of the program after a fault", strconv.Itoa(total.Restarts)))
	}
	return t
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
