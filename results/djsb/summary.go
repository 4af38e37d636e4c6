package djsb

import (
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Estimate is the mean of a metric over samples with its 95 % interval.
type Estimate struct {
	Mean float64
	// Interval is nil for one sample.
	Interval *compare.Interval
}

// known is the mean, NaN without a sample.
func (e Estimate) known(s Summary) float64 {
	if s.Samples == 0 {
		return math.NaN()
	}
	return e.Mean
}

// Summary is an experiment: a scenario with so many analytics in each sample.
type Summary struct {
	Scenario djsbconfig.Scenario
	Analyses int
	// Samples counts those that the estimates are of, Failed the others, of which
	// Reasons have the numbers and say why.
	Samples, Failed int
	Reasons         []string

	SimulationSlowdown, AnalysisSlowdown Estimate
	AnalysisWait, AnalysisResponse       Estimate
	Dynamicity, DynamicityOfAll          Estimate

	// samples are those that the estimates are of, by their number.
	samples map[int]measured
}

// measured has the metrics of a sample, and those that it would have if each of its jobs had
// ended a second later: Slurm's times are whole seconds.
type measured struct{ Metrics, later Metrics }

// Summarise computes the metrics of the samples and their means. A sample that failed, or
// that has no metrics, is in none of them.
func Summarise(scenario djsbconfig.Scenario, jobs Jobs, analyses int, trials []Trial) Summary {
	sum := Summary{Scenario: scenario, Analyses: analyses, samples: map[int]measured{}}
	var all []Metrics
	for _, t := range trials {
		m, err := Evaluate(scenario, jobs, t.Reference, t.Sample)
		if err == nil && len(t.Analyses) != analyses {
			err = fmt.Errorf("evaluate sample: got %d analytics, want %d", len(t.Analyses), analyses)
		}
		if err != nil {
			sum.Failed++
			sum.Reasons = append(sum.Reasons, fmt.Sprintf("sample %d: %v", t.Number, err))
			continue
		}
		all = append(all, m)
		later, err := Evaluate(scenario, jobs, t.Reference, t.later())
		if err != nil {
			// The second is more than the weights allow: nothing is known of it.
			later = m
		}
		sum.samples[t.Number] = measured{m, later}
	}
	sum.Samples = len(all)
	of := func(value func(Metrics) float64) Estimate {
		values := make([]float64, len(all))
		for i, m := range all {
			values[i] = value(m)
		}
		var e Estimate
		e.Mean, e.Interval = compare.MeanInterval(values)
		return e
	}
	sum.SimulationSlowdown = of(func(m Metrics) float64 { return m.SimulationSlowdown })
	sum.AnalysisSlowdown = of(func(m Metrics) float64 { return m.AnalysisSlowdown })
	sum.AnalysisWait = of(func(m Metrics) float64 { return m.AnalysisWait })
	sum.AnalysisResponse = of(func(m Metrics) float64 { return m.AnalysisResponse })
	sum.Dynamicity = of(func(m Metrics) float64 { return m.Dynamicity })
	sum.DynamicityOfAll = of(func(m Metrics) float64 { return m.DynamicityOfAll })
	return sum
}

// Failures names each sample that has no metrics and says why.
func (r Results) Failures() []string {
	var all []string
	for _, s := range r.Summaries {
		for _, reason := range s.Reasons {
			all = append(all, fmt.Sprintf("%s with %d analytics, %s", s.Scenario, s.Analyses, reason))
		}
	}
	return all
}
