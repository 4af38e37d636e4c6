package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
)

// cycleTotals is what all cycles of a run add up to.
type cycleTotals struct {
	released, deferred, bidsCut int
	refused, reheld             []trace.Refusal
	mismatches                  []mismatch
}

// mismatch is a job that Slurm placed elsewhere than planned.
type mismatch struct {
	Job, Cycle      int
	Planned, Actual string
}

func totals(cycles []trace.Cycle) cycleTotals {
	var t cycleTotals
	for _, c := range cycles {
		t.released += len(c.Released)
		t.deferred += len(c.Deferred)
		t.bidsCut += c.BidsCut
		t.refused = append(t.refused, c.Refused...)
		t.reheld = append(t.reheld, c.Reheld...)
		for _, p := range c.Checked {
			if !p.Exact {
				t.mismatches = append(t.mismatches, mismatch{p.Job, c.Cycle, orNothing(p.Planned), orNothing(p.Actual)})
			}
		}
	}
	return t
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
		{"whole cycle", "real ms", func(c trace.Cycle) float64 { return c.SnapshotMS + c.BidsMS + c.SolveMS + c.ReleaseMS }},
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
	rank := int(math.Ceil(0.99 * float64(len(values))))
	return statistic{
		Name: name, Unit: unit,
		Mean: number(sum / float64(len(values))), P99: number(values[rank-1]), Max: number(values[len(values)-1]),
	}
}

// cycleFacts are the counts over all cycles.
func cycleFacts(cycles []trace.Cycle, t cycleTotals) []fact {
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
	return []fact{
		{"cycles", count(len(cycles))},
		{"solver status", orNothing(countTexts(solver))},
		{"jobs released", withDetail(t.released, countTexts(classes), "by class of bid")},
		{"releases refused", withDetail(len(t.refused), countTexts(reasons(t.refused)), "")},
		{"jobs held again", withDetail(len(t.reheld), countTexts(reasons(t.reheld)), "")},
		{"winners deferred", count(t.deferred)},
		{"bids cut by the limit", count(t.bidsCut)},
	}
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
