package paper

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Beside is a figure minus that of Slurm's own scheduler in the same experiment,
// in the unit of tables.
type Beside struct {
	Paper float64
	// Pairs is the number of seeds that both have a run of, Ours the mean
	// difference within a seed, unknown for none.
	Pairs int
	Ours  float64
	// Interval is that of Ours; nil for fewer than two pairs.
	Interval *compare.Interval
}

// baseline is the row of Slurm's own scheduler that a row is to be held against:
// the one of its name or, where each experiment has a name of its own, the first
// with the same settings but for the policy.
func (r Row) baseline(rows []Row) (Row, bool) {
	own := r.Settings()
	if len(own) == 0 || !agent(own[0].Policy) {
		return Row{}, false
	}
	var same []Row
	for _, b := range rows {
		of := b.Settings()
		if len(of) == 0 || agent(of[0].Policy) || b.Table != r.Table {
			continue
		}
		if b.Name == r.Name {
			return b, true
		}
		of[0].Policy = own[0].Policy
		if of[0] == own[0] {
			same = append(same, b)
		}
	}
	return append(same, Row{})[0], len(same) > 0
}

// agent says whether one of our agents schedules under the policy.
func agent(policy string) bool { return trace.Run{Policy: policy}.HasAgent() }

// beside holds the row's runs of the policy against those of its baseline, seed
// by seed; nil where the paper has no such figure.
func (r Row) beside(rows []Row, policy string, m metric.Measure, runs []Run) *Beside {
	base, found := r.baseline(rows)
	published, there := base.Values[m.Column]
	if !found || !there {
		return nil
	}
	b := &Beside{Paper: r.Values[m.Column] - published}
	var differences []float64
	r.pairs(base, policy, runs, func(run, other Run) {
		x, knownX := m.Value(run.Metrics)
		y, knownY := m.Value(other.Metrics)
		if knownX && knownY {
			differences = append(differences, m.Unit.InTable(x)-m.Unit.InTable(y))
		}
	})
	b.Pairs = len(differences)
	b.Ours, b.Interval = compare.MeanInterval(differences)
	return b
}

// pairs calls visit with each run of the row under the policy and that of the same
// seed in base.
func (r Row) pairs(base Row, policy string, runs []Run, visit func(run, other Run)) {
	slurms := base.Settings()[0].Policy
	for _, run := range runs {
		if !r.has(run.Metrics) || run.Metrics.Policy != policy {
			continue
		}
		for _, other := range runs {
			if base.has(other.Metrics) && other.Metrics.Policy == slurms && other.Metrics.Seed == run.Metrics.Seed {
				visit(run, other)
			}
		}
	}
}

// checkPairs refuses pairs that differ in more than the policy.
func checkPairs(rows []Row, runs []Run) error {
	var faults []error
	told := map[string]bool{}
	for _, r := range rows {
		base, found := r.baseline(rows)
		if !found {
			continue
		}
		for _, policy := range r.shown(runs) {
			r.pairs(base, policy, runs, func(run, other Run) {
				if what := differences(run, other); len(what) > 0 && !told[run.Path] {
					told[run.Path] = true
					faults = append(faults, fmt.Errorf("run %s is no pair with run %s: other %s", run.Path, other.Path, strings.Join(what, ", ")))
				}
			})
		}
	}
	return errors.Join(faults...)
}
