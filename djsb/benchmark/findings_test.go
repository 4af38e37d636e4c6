package benchmark_test

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/slurmlab/slurmlab/djsb/contention"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads"
)

// measured are the metrics of a configuration by scenario and number of analytics.
type measured map[workloads.Scenario]map[int]djsb.Summary

// measure runs the paper's three scenarios on a machine that starts jobs at once, so that all
// that shows is the model's.
func measure(t *testing.T, figure string, model contention.Model) measured {
	t.Helper()
	all := measured{}
	for _, scenario := range []workloads.Scenario{workloads.ScenarioOversubscription, workloads.ScenarioStopContinue, workloads.ScenarioCooperative} {
		all[scenario] = map[int]djsb.Summary{}
		c, err := workloads.LoadDJSB(figure)
		if err != nil {
			t.Fatal(err)
		}
		c.Scenarios = []workloads.Scenario{scenario}
		synctest.Test(t, func(t *testing.T) {
			m := &machine{atOnce: scenario.JobsPerCore(), model: &model, node: contention.Node{Cores: c.Machine.Cores, Memory: int64(c.Machine.Memory)}}
			events, err := run(t, t.Context(), c, m)
			if err != nil {
				t.Fatal(err)
			}
			trials := map[int][]djsb.Trial{}
			for _, e := range events[1:] {
				e.Trial.Reference = *events[0].Reference
				trials[e.Trial.NumOfDynAnalysis] = append(trials[e.Trial.NumOfDynAnalysis], *e.Trial)
			}
			for n, of := range trials {
				sum := djsb.Summarise(scenario, djsb.Jobs{SimulationCPUs: c.Simulation.CPUs(), AnalysisCPUs: c.Analysis.CPUs()}, n, of)
				if sum.Failed > 0 {
					t.Errorf("%s, %s, %d analytics: %v", figure, scenario, n, sum.Reasons)
				}
				all[scenario][n] = sum
			}
		})
	}
	return all
}

func numbers(t *testing.T) []int {
	t.Helper()
	c, err := workloads.LoadDJSB("figure3")
	if err != nil {
		t.Fatal(err)
	}
	return c.NumOfDynAnalysis
}

// What DJSB section 4.4 finds, in the order of its text.
func TestFindings(t *testing.T) {
	model := contention.Defaults()
	three, four, five := measure(t, "figure3", model), measure(t, "figure4", model), measure(t, "figure5", model)
	over, stop, lend := workloads.ScenarioOversubscription, workloads.ScenarioStopContinue, workloads.ScenarioCooperative
	before := map[workloads.Scenario]float64{over: 1, stop: 1, lend: 1}
	for _, n := range numbers(t) {
		for scenario := range three {
			// "Slowdown of simulation increases as the number of analytics that it shares
			// resources with increases."
			now := three[scenario][n].SimulationSlowdown.Mean
			if now <= before[scenario] {
				t.Errorf("%s: slowdown of the simulation %g with %d analytics, %g with fewer", scenario, now, n, before[scenario])
			}
			before[scenario] = now
			// "The impact of increase in memory requirements by simulation makes system less
			// capable to deal with the new coming applications."
			if small, large := three[scenario][n].DynamicityOfAll.Mean, four[scenario][n].DynamicityOfAll.Mean; large >= small {
				t.Errorf("%s, %d analytics: dynamicity %g, and %g with more memory", scenario, n, small, large)
			}
			// Figure 5: "with the change of system size" slowdowns and dynamicity remain the same.
			if large, half := four[scenario][n].DynamicityOfAll.Mean, five[scenario][n].DynamicityOfAll.Mean; math.Abs(large-half) > 0.01 {
				t.Errorf("%s, %d analytics: dynamicity %g, and %g on half of the system", scenario, n, large, half)
			}
		}
		// "The highest impact on simulation's performance is in the case of oversubscription",
		// "the analytics job is the most impacted in the case of oversubscription [...] It is
		// the least impacted in the case of stop&continue".
		o, s, l := three[over][n], three[stop][n], three[lend][n]
		if o.SimulationSlowdown.Mean <= max(s.SimulationSlowdown.Mean, l.SimulationSlowdown.Mean) {
			t.Errorf("%d analytics: slowdown of the simulation %g by oversubscription, %g by stop&continue, %g by lending", n, o.SimulationSlowdown.Mean, s.SimulationSlowdown.Mean, l.SimulationSlowdown.Mean)
		}
		if o.AnalysisSlowdown.Mean <= l.AnalysisSlowdown.Mean || l.AnalysisSlowdown.Mean <= s.AnalysisSlowdown.Mean {
			t.Errorf("%d analytics: slowdown %g by oversubscription, %g by lending, %g by stop&continue", n, o.AnalysisSlowdown.Mean, l.AnalysisSlowdown.Mean, s.AnalysisSlowdown.Mean)
		}
	}
}

// Which findings a parameter decides: without a loss by switching the simulation loses the same
// by oversubscription as by lending, since the memory's bandwidth is used up either way, and any
// loss makes oversubscription the worse one. The analytics fare worse by oversubscription
// without any loss, too.
func TestFindingsThatTheLossDecides(t *testing.T) {
	at := func(loss float64) (simulation, analytics float64) {
		model := contention.Defaults()
		model.SwitchLoss = loss
		m := measure(t, "figure3", model)
		over, lend := m[workloads.ScenarioOversubscription][6], m[workloads.ScenarioCooperative][6]
		return over.SimulationSlowdown.Mean - lend.SimulationSlowdown.Mean, over.AnalysisSlowdown.Mean - lend.AnalysisSlowdown.Mean
	}
	if simulation, analytics := at(0); math.Abs(simulation) > 1e-6 || analytics < 0.5 {
		t.Errorf("without a loss: the simulation's slowdown differs by %g, the analytics' by %g", simulation, analytics)
	}
	for _, loss := range []float64{0.01, 0.15, 0.33} {
		simulation, analytics := at(loss)
		t.Logf("loss %g: oversubscription against lending, simulation %+.3f, analytics %+.3f", loss, simulation, analytics)
		if simulation <= 0 || analytics <= 0.5 {
			t.Errorf("loss %g: the simulation's slowdown differs by %g, the analytics' by %g", loss, simulation, analytics)
		}
	}
}
