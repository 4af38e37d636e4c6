package paper

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// fillPublished puts ours into the figures: the mean over the runs of each, and the mean
// difference to the runs of its baseline within each seed.
//
//	figures --machine, workload, policy, measure--> runs        (ours)
//	        --the baseline's, measure, seed-------> other runs  (beside)
func fillPublished(figures []Figure, baselines []Row, runs []metric.Result) error {
	var measures []metric.Measure
	for _, m := range metric.Measures() {
		for _, f := range figures {
			if f.Measure.Column == m.Column {
				measures = append(measures, m)
				break
			}
		}
	}
	ours, err := table.Long(runs, measures)
	if err != nil {
		return err
	}
	beside, err := publishedFrame(figures, baselines, ours)
	if err != nil {
		return err
	}
	groups, err := beside.GroupBy("figure", "value")
	if err != nil {
		return err
	}
	pairs, err := pairsOf(beside, ours)
	if err != nil {
		return err
	}
	strongest, err := strongestPairs(figures, baselines, ours)
	if err != nil {
		return err
	}
	for i := range figures {
		f := &figures[i]
		group := groups[strconv.Itoa(i)]
		f.Failed, f.OursStd, f.Runs = f.failed(runs), f.deviation(runs), len(group["value"])
		f.besidePaper(group["value"])
		if f.Beside != nil {
			f.Beside.fill(pairs[strconv.Itoa(i)])
		}
		if pair := strongest[strconv.Itoa(i)]; len(pair["value"]) > 0 {
			f.Strongest = &Beside{Paper: math.NaN()}
			f.Strongest.fill(pair)
		}
	}
	judgePublished(figures)
	return nil
}

// fill takes the pairs of runs.
func (b *Beside) fill(pair table.Group) {
	change := floats.SubTo(make([]float64, len(pair["value"])), pair["value"], pair["slurms"])
	b.Pairs, b.P = len(change), compare.MeanP(change)
	b.Ours, b.Interval = compare.MeanInterval(change)
	b.base, _ = compare.MeanInterval(pair["slurms"])
}

// besidePaper tests the differences of our runs to the paper's mean, which has an error of its own. No paper prints
// deviations from run to run, so its runs count as varying like ours, times the published deviation over jobs by our
// deviation over jobs where it prints one: the variance of the difference is s^2 (1 / ours + k^2 / the paper's), with
// that quotient as k. The degrees of freedom are those of s.
func (f *Figure) besidePaper(ours []float64) {
	mean, own := compare.MeanInterval(ours)
	f.Ours, f.P = mean, math.NaN()
	if !f.published() {
		return
	}
	k := 1.0
	if f.PaperStd > 0 && f.OursStd > 0 {
		k = f.PaperStd / f.OursStd
	}
	times := math.Sqrt(1 + k*k*float64(len(ours))/float64(f.Row.Replicas))
	change := slices.Clone(ours)
	floats.AddConst(-f.Paper, change)
	f.P = compare.ScaledMeanP(change, times)
	if own != nil {
		half := (own.High - own.Low) / 2 * times
		f.Interval = &compare.Interval{Low: mean - f.Paper - half, High: mean - f.Paper + half}
	}
}

// of are the runs of the figure.
func (f Figure) of(runs []metric.Result) []metric.Result {
	var own []metric.Result
	for _, r := range runs {
		if f.Row.has(r.Run.Settings) && r.Run.Policy == f.Policy {
			own = append(own, r)
		}
	}
	return own
}

// failed counts the jobs of the figure's runs that did not end as planned.
func (f Figure) failed(runs []metric.Result) int {
	n := 0
	for _, r := range f.of(runs) {
		n += r.Metrics.Failed
	}
	return n
}

// deviation is the mean over the figure's runs of the deviation over their jobs, unknown
// without runs or where a measure has none.
func (f Figure) deviation(runs []metric.Result) float64 {
	if f.Measure.Std == nil {
		return math.NaN()
	}
	var all []float64
	for _, r := range f.of(runs) {
		all = append(all, f.Measure.Unit.InTable(f.Measure.Std(*r.Metrics)))
	}
	if len(all) == 0 {
		return math.NaN()
	}
	return stat.Mean(all, nil)
}

// strongestPairs is pairsOf with the runs of the tuned backfill in place of the baselines'.
func strongestPairs(figures []Figure, baselines []Row, ours table.Frame) (map[string]table.Group, error) {
	bases := make([]Row, len(baselines))
	for i, base := range baselines {
		if len(base.Policies) > 0 {
			bases[i] = base.strongest()
		}
	}
	beside, err := publishedFrame(figures, bases, ours)
	if err != nil {
		return nil, err
	}
	return pairsOf(beside, ours)
}

// publishedFrame has a row for each figure and each of its runs, with what the runs of its
// baseline are found by.
func publishedFrame(figures []Figure, baselines []Row, ours table.Frame) (table.Frame, error) {
	indices := make([]int, len(figures))
	for i := range indices {
		indices[i] = i
	}
	slurms := func(i int) string {
		if of := baselines[i].Experiments(); len(of) > 0 {
			return of[0].Policy
		}
		return ""
	}
	published, err := table.NewFrame(indices,
		table.Word("figure", strconv.Itoa),
		table.Word("machine", func(i int) string { return figures[i].Row.Machine }),
		table.Word("workload", func(i int) string { return figures[i].Row.Workload }),
		table.Word("policy", func(i int) string { return figures[i].Policy }),
		table.Word("measure", func(i int) string { return figures[i].Measure.Column }),
		table.Word("slurm_workload", func(i int) string { return baselines[i].Workload }),
		table.Word("slurm_policy", slurms))
	if err != nil {
		return table.Frame{}, err
	}
	return published.Join(ours, "machine", "workload", "policy", "measure")
}

// pairsOf gives, for each figure, the values of its runs and of the baseline's run of the same seed.
func pairsOf(beside, ours table.Frame) (map[string]table.Group, error) {
	same := func(name string) table.As { return table.As{Column: name, Name: name} }
	slurms, err := ours.Select(same("machine"), table.As{Column: "workload", Name: "slurm_workload"}, table.As{Column: "policy", Name: "slurm_policy"},
		same("seed"), same("measure"), table.As{Column: "value", Name: "slurms"})
	if err != nil {
		return nil, err
	}
	pairs, err := beside.Join(slurms, "machine", "slurm_workload", "slurm_policy", "seed", "measure")
	if err != nil {
		return nil, err
	}
	return pairs.GroupBy("figure", "value", "slurms")
}
