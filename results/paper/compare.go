package paper

import (
	"path"
	"slices"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Run is a complete run of ours.
type Run struct {
	// Path is where it lies, as the reader knows it.
	Path string
	Run  trace.Run
	// Workload holds the bytes of workload.csv.
	Workload []byte
	Metrics  metric.Metrics
}

// Figure is a published value and ours, in the unit of tables.
type Figure struct {
	Row Row
	// Policy is ours: that of the runs, without any the row's nearest.
	Policy  string
	Measure metric.Measure
	Paper   float64
	// Runs is the number of replicas, Ours their mean, unknown for none.
	Runs int
	Ours float64
	// Interval is that of Ours - Paper; nil for fewer than two replicas.
	Interval *compare.Interval
	// Beside holds both against Slurm's own scheduler; nil for that scheduler
	// itself and where the rows have none.
	Beside *Beside
}

// Compare puts the runs beside the published rows, measure by measure. A row is
// there once for each policy that ran. The error lists every run that is in no
// row, no replica of another one in it or, when there is none of these, no pair
// with the run of Slurm's own scheduler.
func Compare(rows []Row, runs []Run) ([]Figure, error) {
	if err := check(rows, runs); err != nil {
		return nil, err
	}
	var figures []Figure
	for _, row := range rows {
		for _, policy := range row.shown(runs) {
			figures = append(figures, row.figures(rows, policy, runs)...)
		}
	}
	return figures, nil
}

func (r Row) has(m metric.Metrics) bool {
	return r.Machine == m.Machine && r.Workload == m.Workload && slices.ContainsFunc(r.Policies, func(pattern string) bool {
		return matches(pattern, m.Policy)
	})
}

func matches(pattern, policy string) bool {
	found, err := path.Match(pattern, policy)
	return err == nil && found
}

// shown are the policies of the runs in the row, in the order of its patterns,
// then of names; without any the nearest one.
func (r Row) shown(runs []Run) []string {
	var policies []string
	for _, pattern := range r.Policies {
		var found []string
		for _, run := range runs {
			if policy := run.Metrics.Policy; r.has(run.Metrics) && matches(pattern, policy) && !slices.Contains(policies, policy) {
				found = append(found, policy)
			}
		}
		slices.Sort(found)
		policies = append(policies, slices.Compact(found)...)
	}
	if len(policies) > 0 {
		return policies
	}
	return r.Policies[:1]
}

func (r Row) figures(rows []Row, policy string, runs []Run) []Figure {
	var figures []Figure
	for _, m := range metric.Measures() {
		published, there := r.Values[m.Column]
		if !there {
			continue
		}
		f := Figure{Row: r, Policy: policy, Measure: m, Paper: published, Beside: r.beside(rows, policy, m, runs)}
		var differences []float64
		for _, run := range runs {
			v, known := m.Value(run.Metrics)
			if known && r.has(run.Metrics) && run.Metrics.Policy == policy {
				differences = append(differences, m.Unit.InTable(v)-published)
			}
		}
		f.Runs = len(differences)
		mean, interval := compare.MeanInterval(differences)
		f.Ours, f.Interval = published+mean, interval
		figures = append(figures, f)
	}
	return figures
}
