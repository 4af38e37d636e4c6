package serve

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// NewStudy is what a folder shows. asked are its runs: the campaign's, or else the runs found.
func NewStudy(f report.Folder, asked []report.Asked) (Study, error) {
	groups, err := f.Groups()
	if err != nil {
		return Study{}, err
	}
	study := Study{Findings: f.Findings(groups), Complete: len(f.Runs), Matrix: newMatrix(f, asked, groups)}
	if study.Complete == 0 {
		return study, nil
	}
	var errAll, errFew, errRuns error
	study.Comparison, errAll = compare.GroupTable(groups, false)
	study.Few, errFew = compare.GroupTable(groups, true)
	study.Runs, errRuns = table.Runs(metric.MetricsOf(f.Runs))
	return study, errors.Join(errAll, errFew, errRuns)
}

// newMatrix is what the page of a folder shows first.
func newMatrix(f report.Folder, runs []report.Asked, groups []compare.Grouped) Matrix {
	measures := metricsOfMatrix(f.Runs)
	m := Matrix{Metrics: []MatrixMetric{}, Policies: []string{}, Pairs: append([][2]string{}, f.Pairs...), Places: []MatrixPlace{}, Runs: []MatrixRun{}}
	for _, measure := range measures {
		m.Metrics = append(m.Metrics, MatrixMetric{Title: measure.Heading(), Better: measure.Better.String()})
	}
	for _, r := range runs {
		if !slices.Contains(m.Policies, r.Policy) {
			m.Policies = append(m.Policies, r.Policy)
		}
		at := slices.IndexFunc(m.Places, func(p MatrixPlace) bool {
			return p.Machine == r.Machine && p.Events == r.Events && p.Workload == r.Workload && p.Backend == r.Backend.BackendName()
		})
		if at < 0 {
			at = len(m.Places)
			m.Places = append(m.Places, MatrixPlace{Machine: r.Machine, Events: r.Events, Workload: r.Workload, Backend: r.Backend.BackendName(), Pairs: []PairCell{}})
		}
		cell := MatrixRun{Path: r.Path, Name: filepath.Base(r.Path), Place: at, Policy: r.Policy, Replica: r.Replica, State: r.State}
		if run.State(r.State) == run.StateBroken {
			// A run under way has the reason that it is to have if its process is killed.
			cell.Why = r.Reason
		}
		if r.Complete() && !r.Quiet {
			cell.Disturbed = fmt.Sprintf("%.1f %%", 100*r.Disturbed)
			if r.LateSeconds > trace.LateSeconds {
				cell.Disturbed += fmt.Sprintf(", %.1f s late", r.LateSeconds)
			}
		}
		m.Runs = append(m.Runs, cell)
	}
	for at := range m.Places {
		p := &m.Places[at]
		for _, policy := range m.Policies {
			p.Policies = append(p.Policies, PolicyCell{Means: meansOf(f, *p, policy, measures), States: statesOf(m.Runs, at, policy)})
		}
		for _, pair := range m.Pairs {
			p.Pairs = append(p.Pairs, pairCell(*p, pair, groups, measures))
		}
	}
	if len(m.Pairs) == 0 {
		m.across(groups, measures)
	}
	return m
}

// across adds the pairs of machines and of lists of events, in the row of the second one.
func (m *Matrix) across(groups []compare.Grouped, measures []metric.Measure) {
	for _, g := range groups {
		at := slices.IndexFunc(m.Places, func(p MatrixPlace) bool { return p.second(g) })
		if at < 0 {
			continue
		}
		pair := [2]string{g.A, g.B}
		column := slices.Index(m.Pairs, pair)
		if column < 0 {
			column = len(m.Pairs)
			m.Pairs = append(m.Pairs, pair)
			for i := range m.Places {
				m.Places[i].Pairs = append(m.Places[i].Pairs, PairCell{Elsewhere: true, Verdicts: []Verdict{}})
			}
		}
		m.Places[at].Pairs[column] = compared(g, measures)
	}
}

// metricsOfMatrix are the metrics in which a policy can be better and that a run has: waiting, for which people come,
// then the most important ones first.
func metricsOfMatrix(runs []metric.Result) []metric.Measure {
	var list []metric.Measure
	for _, m := range metric.Measures() {
		known := func(r metric.Result) bool {
			_, known := m.Value(*r.Metrics)
			return known && (r.Run.Machine.GPUs > 0 || !m.GPU)
		}
		if m.Subject == metric.OfPolicy && m.Better != metric.Neither && slices.ContainsFunc(runs, known) {
			list = append(list, m)
		}
	}
	rank := func(m metric.Measure) int {
		if m.Key == "waiting_s" {
			return 0
		}
		if place, shown := m.Rank(); shown {
			return place
		}
		return math.MaxInt
	}
	slices.SortStableFunc(list, func(a, b metric.Measure) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// meansOf are the means of a policy at a place, one for each metric, none without runs.
func meansOf(f report.Folder, p MatrixPlace, policy string, measures []metric.Measure) []string {
	var runs []metric.Result
	for _, r := range f.Runs {
		if r.Run.Policy == policy && r.Run.Machine.Name == p.Machine && p.under(r.Run.EventsLabel()) && r.Run.BackendName() == p.Backend && f.Labels[trace.Unarchived(r.Path)] == p.Workload {
			runs = append(runs, r)
		}
	}
	texts := []string{}
	if len(runs) == 0 {
		return texts
	}
	for _, m := range measures {
		var values []float64
		for _, r := range runs {
			if v, known := m.Value(*r.Metrics); known {
				values = append(values, m.Unit.InTable(v))
			}
		}
		mean := math.NaN()
		if len(values) > 0 {
			mean, _ = compare.MeanInterval(values)
		}
		texts = append(texts, table.Fixed(mean, m.Unit.Decimals()))
	}
	return texts
}

// statesOf counts the runs of a policy at a place by their states, in words.
func statesOf(runs []MatrixRun, place int, policy string) string {
	count := map[string]int{}
	disturbed := 0
	for _, r := range runs {
		if r.Place == place && r.Policy == policy {
			count[r.State]++
			if r.Disturbed != "" {
				disturbed++
			}
		}
	}
	var parts []string
	for _, state := range []run.State{run.StateComplete, run.StateRunning, run.StateBroken, run.StateMissing} {
		n := count[string(state)]
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", n, state)
		if state == run.StateComplete && disturbed > 0 {
			text += fmt.Sprintf(" (%d disturbed)", disturbed)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// pairCell is what a comparison says of each metric.
func pairCell(p MatrixPlace, pair [2]string, groups []compare.Grouped, measures []metric.Measure) PairCell {
	at := slices.IndexFunc(groups, func(g compare.Grouped) bool {
		return g.Machine == p.Machine && p.under(g.Events) && g.Name == p.Workload && g.Backend.BackendName() == p.Backend && [2]string{g.A, g.B} == pair
	})
	if at < 0 {
		return PairCell{Verdicts: []Verdict{}}
	}
	return compared(groups[at], measures)
}

// compared is the cell of a comparison.
func compared(of compare.Grouped, measures []metric.Measure) PairCell {
	cell := PairCell{Replicas: text.Plural(len(of.Seeds), string(of.Kind)), Verdicts: []Verdict{}}
	evidence := of.Evidence()
	for _, m := range measures {
		v := Verdict{Difference: table.Fixed(math.NaN(), 0), Words: "not known in every run"}
		if i := slices.IndexFunc(of.Differences, func(d compare.MetricDifference) bool { return d.Name == m.Column }); i >= 0 {
			d, e := of.Differences[i], evidence[i]
			v.Difference, v.Words = table.Fixed(d.Mean, m.Unit.Decimals()), e.Verdict
			if e.Interval != nil {
				v.Interval = fmt.Sprintf("[%s, %s]", table.Fixed(e.Interval.Low, m.Unit.Decimals()), table.Fixed(e.Interval.High, m.Unit.Decimals()))
			}
			if d.Better != "" && strings.HasPrefix(e.Verdict, d.Better+",") && !strings.HasSuffix(e.Verdict, compare.OrChance) {
				v.Better = d.Better
			}
		}
		cell.Verdicts = append(cell.Verdicts, v)
	}
	return cell
}
