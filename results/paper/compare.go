package paper

import (
	"math"
	"path"
	"slices"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Figure is a published value and ours, in the unit of tables.
type Figure struct {
	Row Row
	// Policy is ours: the policy of the runs, without any the row's nearest.
	Policy  string
	Measure metric.Measure
	// Paper is the published mean, PaperStd its deviation over jobs, unknown where the
	// paper prints none. A measure without a published mean stands beside one that it explains, and gets no verdict.
	Paper, PaperStd float64
	// Runs is the number of replicas, Ours their mean, unknown for none. OursStd is the
	// mean of their deviations over jobs, as AUCSCHED section 6.2 has it: "calculated
	// separately for each simulation, and have been averaged".
	Runs          int
	Ours, OursStd float64
	// Failed counts the jobs of these runs that did not end as planned.
	Failed int
	// Interval is that of Ours - Paper, each a mean over its runs; nil for fewer than two of ours. P is the probability
	// of such a difference by chance, NaN without an interval.
	Interval *compare.Interval
	P        float64
	compare.Ruling
	// Beside holds both against Slurm's own scheduler; nil for that scheduler
	// itself and where the rows have none.
	Beside *Beside
	// Strongest compares ours with policy backfill, the tuned backfill, which the papers do not have; nil without
	// such runs.
	Strongest *Beside
}

// Compare puts the runs beside the published rows, measure by measure. A row is there once for each policy that
// ran. The error lists every run that is in no row or no replica of another one in it. Without such runs it lists
// runs that make no pair with the run of Slurm's own scheduler.
func Compare(rows []Row, runs []metric.Result) ([]Figure, error) {
	runs, asRecorded := underTodaysNames(runs)
	if err := checkPublished(rows, runs); err != nil {
		return nil, err
	}
	var figures []Figure
	var baselines []Row
	for _, row := range rows {
		base, _ := row.baseline(rows)
		for _, policy := range row.shown(runs) {
			published := row.figures(policy, base)
			figures = append(figures, published...)
			baselines = append(baselines, slices.Repeat([]Row{base}, len(published))...)
		}
	}
	if err := fillPublished(figures, baselines, runs); err != nil {
		return nil, err
	}
	for i := range figures {
		if figures[i].Policy == trace.WholeQueue {
			figures[i].Policy = asRecorded
		}
	}
	return figures, nil
}

// has says whether a run has the machine, the workload and one of the policies of
// the row.
func (r Row) has(run trace.Settings) bool {
	return r.Machine == run.Machine.Name && r.Workload == run.Workload && slices.ContainsFunc(r.Policies, func(pattern string) bool {
		return matchesPattern(pattern, run.Policy)
	})
}

func matchesPattern(pattern, policy string) bool {
	found, err := path.Match(pattern, policy)
	return err == nil && found
}

// shown are the policies of the runs in the row, in the order of its patterns,
// then of names; without any the nearest one.
func (r Row) shown(runs []metric.Result) []string {
	var policies []string
	for _, pattern := range r.Policies {
		var found []string
		for _, run := range runs {
			if policy := run.Run.Policy; r.has(run.Run.Settings) && matchesPattern(pattern, policy) && !slices.Contains(policies, policy) {
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

// explains lists, by the column of a published measure, measures that stand beside it. The papers' utilisation credits jobs
// for the work that more GPUs spare them, unlike cores in use; a policy may pay for fewer blocks with more nodes or a wider
// spread.
func explains() map[string][]string {
	return map[string][]string{"cpu_utilization_percent": {"cpu_in_use_percent"}, "fragmentation_mean": {"spread_mean", "packing_mean"}}
}

// figures are the published ones of the row and what explains them, with the figures of its baseline, which is the zero Row
// without one.
func (r Row) figures(policy string, base Row) []Figure {
	var explaining []string
	for column := range r.Values {
		explaining = append(explaining, explains()[column]...)
	}
	var figures []Figure
	for _, m := range metric.Measures() {
		published, there := r.Values[m.Column]
		if !there && !slices.Contains(explaining, m.Column) {
			continue
		}
		f := Figure{Row: r, Policy: policy, Measure: m, Paper: published, PaperStd: math.NaN()}
		if std, deviates := r.Values[m.StdColumn()]; deviates && m.Std != nil {
			f.PaperStd = std
		}
		slurms, both := base.Values[m.Column]
		switch {
		case !there:
			f.Paper = math.NaN()
			if base.Values != nil {
				f.Beside = &Beside{Paper: math.NaN()}
			}
		case both:
			f.Beside = &Beside{Paper: published - slurms}
		}
		figures = append(figures, f)
	}
	return figures
}

// published says that the paper has the measure.
func (f Figure) published() bool { return !math.IsNaN(f.Paper) }
