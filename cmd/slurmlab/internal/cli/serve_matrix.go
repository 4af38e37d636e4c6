package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// folderRun is one run of a folder as far as it is there.
type folderRun struct {
	machine, workload, slurm, policy, replica string
	path                                      string
	state                                     run.State
	why                                       string
	// disturbed and late are NaN where they are not known.
	disturbed, late float64
	quiet           bool
}

// folderRuns are the runs that the campaign asks for or, without a campaign file, those that are
// in the folder.
func (g gathered) folderRuns(folder string) ([]folderRun, error) {
	var all []folderRun
	if g.study != nil {
		for _, e := range g.entries {
			replica := trace.Settings{Seed: e.config.Seed}
			replica.Window, replica.Windows = e.config.Workload.Window()
			all = append(all, folderRun{
				e.config.Machine.Name, e.label, e.config.Slurm, e.config.Policy.Name, replica.Replica(), e.config.Dir, e.state, e.reason, e.disturbed, e.late, e.quiet,
			})
		}
		return all, nil
	}
	for _, path := range campaign.RunsIn(folder) {
		dir, err := trace.Open(path)
		if err != nil {
			return nil, err
		}
		r, err := dir.ReadRun()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := folderRun{r.Machine.Name, r.Workload, r.Slurm, r.Policy, r.Replica(), path, run.StateBroken, r.Reason, r.Disturbed(), r.Latest(), r.Quiet()}
		switch {
		case r.Status == trace.StatusComplete:
			s.state = run.StateComplete
		case run.UnderWay(dir):
			s.state = run.StateRunning
		}
		all = append(all, s)
	}
	return all, nil
}

// matrix is what the page of a folder shows first.
func (g gathered) matrix(folder string, groups []compare.Grouped) (serve.Matrix, error) {
	runs, err := g.folderRuns(folder)
	if err != nil {
		return serve.Matrix{}, err
	}
	measures := metricsOfMatrix(g.runs)
	m := serve.Matrix{Metrics: []serve.MatrixMetric{}, Policies: []string{}, Pairs: append([][2]string{}, g.pairs...), Places: []serve.Place{}, Runs: []serve.MatrixRun{}}
	for _, measure := range measures {
		m.Metrics = append(m.Metrics, serve.MatrixMetric{Title: measure.Heading(), Better: measure.Better.String()})
	}
	for _, r := range runs {
		if !slices.Contains(m.Policies, r.policy) {
			m.Policies = append(m.Policies, r.policy)
		}
		at := slices.IndexFunc(m.Places, func(p serve.Place) bool {
			return p.Machine == r.machine && p.Workload == r.workload && p.Slurm == r.slurm
		})
		if at < 0 {
			at = len(m.Places)
			m.Places = append(m.Places, serve.Place{Machine: r.machine, Workload: r.workload, Slurm: r.slurm, Pairs: []serve.PairCell{}})
		}
		cell := serve.MatrixRun{Path: r.path, Name: filepath.Base(r.path), Place: at, Policy: r.policy, Replica: r.replica, State: string(r.state)}
		if r.state == run.StateBroken {
			// A run under way has the reason that it is to have if its process is killed.
			cell.Why = r.why
		}
		if r.state == run.StateComplete && !r.quiet {
			cell.Disturbed = fmt.Sprintf("%.1f %%", 100*r.disturbed)
			if r.late > trace.LateSeconds {
				cell.Disturbed += fmt.Sprintf(", %.1f s late", r.late)
			}
		}
		m.Runs = append(m.Runs, cell)
	}
	for at := range m.Places {
		p := &m.Places[at]
		for _, policy := range m.Policies {
			p.Policies = append(p.Policies, serve.PolicyCell{Means: g.meansOf(*p, policy, measures), States: statesOf(m.Runs, at, policy)})
		}
		for _, pair := range m.Pairs {
			p.Pairs = append(p.Pairs, pairCell(*p, pair, groups, measures))
		}
	}
	return m, nil
}

// metricsOfMatrix are the metrics in which a policy can be better and that a run has, the most
// important ones first.
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
		if place, shown := m.Rank(); shown {
			return place
		}
		return math.MaxInt
	}
	slices.SortStableFunc(list, func(a, b metric.Measure) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// meansOf are the means of a policy at a place, one for each metric, none without runs.
func (g gathered) meansOf(p serve.Place, policy string, measures []metric.Measure) []string {
	var runs []metric.Result
	for _, r := range g.runs {
		if r.Run.Policy == policy && r.Run.Machine.Name == p.Machine && r.Run.Slurm == p.Slurm && g.labels[trace.Unarchived(r.Path)] == p.Workload {
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
func statesOf(runs []serve.MatrixRun, place int, policy string) string {
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
func pairCell(p serve.Place, pair [2]string, groups []compare.Grouped, measures []metric.Measure) serve.PairCell {
	cell := serve.PairCell{Verdicts: []serve.Verdict{}}
	at := slices.IndexFunc(groups, func(g compare.Grouped) bool {
		return g.Machine == p.Machine && g.Name == p.Workload && g.Slurm == p.Slurm && [2]string{g.A, g.B} == pair
	})
	if at < 0 {
		return cell
	}
	of := groups[at]
	cell.Replicas = text.Plural(len(of.Seeds), string(of.Kind))
	evidence := of.Evidence()
	for _, m := range measures {
		v := serve.Verdict{Difference: table.Fixed(math.NaN(), 0), Words: "not known in every run"}
		if i := slices.IndexFunc(of.Differences, func(d compare.MetricDifference) bool { return d.Name == m.Column }); i >= 0 {
			d, e := of.Differences[i], evidence[i]
			v.Difference, v.Words = table.Fixed(d.Mean, m.Unit.Decimals()), e.Verdict
			if e.Interval != nil {
				v.Interval = fmt.Sprintf("[%s, %s]", table.Fixed(e.Interval.Low, m.Unit.Decimals()), table.Fixed(e.Interval.High, m.Unit.Decimals()))
			}
			if d.Better != "" && (e.Verdict == d.Better || strings.HasPrefix(e.Verdict, d.Better+",")) {
				v.Better = d.Better
			}
		}
		cell.Verdicts = append(cell.Verdicts, v)
	}
	return cell
}
