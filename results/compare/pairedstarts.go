package compare

import (
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// PairedStarts says how far apart the starts of the same jobs are in the two runs of a
// pair, or of all pairs, in virtual seconds after the first submission.
type PairedStarts struct {
	// Replica is the pair ("seed 3"), or "all" over all pairs.
	Replica string
	// Jobs counts the jobs that started in both runs, Equal the ones that started in the same second, LeftOut the
	// other jobs of the workload.
	Jobs, Equal, LeftOut int
	// Distribution is that of |start in b - start in a|.
	Distribution
}

// EqualShare is the part of the jobs that started in the same second, NaN of no jobs.
func (p PairedStarts) EqualShare() float64 { return float64(p.Equal) / float64(p.Jobs) }

// pairedStarts has an element for each pair, and one for all of them at the end. The
// runs are in order.
func pairedStarts(a, b []metric.Result) []PairedStarts {
	var list []PairedStarts
	var apart []float64
	leftOut := 0
	for i := range a {
		runs := []metric.Result{a[i], b[i]}
		ids, missing := commonJobs(runs)
		s := startsOf(runs, ids)
		one := between(s[:1], s[1:])
		list = append(list, newPairedStarts(a[i].Run.Replica(), one, missing))
		apart, leftOut = append(apart, one...), leftOut+missing
	}
	return append(list, newPairedStarts("all", apart, leftOut))
}

func newPairedStarts(replica string, apart []float64, leftOut int) PairedStarts {
	p := PairedStarts{Replica: replica, Jobs: len(apart), LeftOut: leftOut, Distribution: newDistribution(apart)}
	for _, seconds := range apart {
		if seconds == 0 {
			p.Equal++
		}
	}
	return p
}

// StartsTable has a row for each pair, and one for all of them at the end.
func (c Comparison) StartsTable() (table.Table, error) {
	frame, err := table.NewFrame(c.Starts,
		table.Word("replica", func(p PairedStarts) string { return p.Replica }),
		table.Number("jobs", func(p PairedStarts) float64 { return float64(p.Jobs) }),
		table.Number("left_out", func(p PairedStarts) float64 { return float64(p.LeftOut) }),
		table.Number("equal_percent", func(p PairedStarts) float64 { return 100 * p.EqualShare() }),
		table.Number("median_s", func(p PairedStarts) float64 { return p.Median }),
		table.Number("p95_s", func(p PairedStarts) float64 { return p.P95 }),
		table.Number("max_s", func(p PairedStarts) float64 { return p.Max }))
	if err != nil {
		return table.Table{}, fmt.Errorf("compare starts: %w", err)
	}
	return table.New(frame,
		table.Words("Starts in", "replica"), table.Numbers("Jobs", "jobs", 0), table.Numbers("Left out", "left_out", 0),
		table.Numbers("Equal %", "equal_percent", 1), table.Numbers("Median s", "median_s", 0),
		table.Numbers("95th percentile s", "p95_s", 0), table.Numbers("Largest s", "max_s", 0))
}

// StartsSummary says in a sentence how far apart the starts of the same jobs are, empty
// where policies are compared.
func (c Comparison) StartsSummary() string {
	if len(c.Starts) == 0 {
		return ""
	}
	all := c.Starts[len(c.Starts)-1]
	if all.Jobs == 0 {
		return "No job started on both sides."
	}
	summary := fmt.Sprintf("Of %s, %d started in the same second on both sides (%.0f %%); starts are apart by %s s in the median, %s s in the 95th percentile, and %s s at most.",
		text.Plural(all.Jobs, "job"), all.Equal, math.Floor(100*all.EqualShare()), text.Number(all.Median), text.Number(all.P95), text.Number(all.Max))
	if all.LeftOut > 0 {
		summary += fmt.Sprintf(" %s did not start on both sides.", text.Plural(all.LeftOut, "more job"))
	}
	return summary
}
