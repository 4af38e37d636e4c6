package benchmark_test

import (
	"math"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// measure runs the paper's three scenarios where jobs start at once, so that all that shows is
// the model's.
func measure(t *testing.T, name string, m benchmark.Contention) []djsb.Summary {
	t.Helper()
	c := figure(t, name)
	c.Scenarios = []djsbconfig.Scenario{djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative}
	summaries, err := benchmark.InMemory(t.Context(), c, benchmark.Parameters{Contention: m}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range summaries {
		if s.Failed > 0 {
			t.Errorf("%s, %s, %d analytics: %v", name, s.Scenario, s.Analyses, s.Reasons)
		}
	}
	return summaries
}

// What DJSB section 4.4 finds of figure 3, from figure 3 to 4, and from figure 4 to 5.
func TestFindings(t *testing.T) {
	three, four, five := measure(t, "figure3", benchmark.DefaultContention()), measure(t, "figure4", benchmark.DefaultContention()), measure(t, "figure5", benchmark.DefaultContention())
	margins := map[string]float64{}
	for _, f := range djsb.Findings() {
		margins[f.Name] = f.Margin(three)
	}
	for _, f := range djsb.FindingsBetween() {
		switch {
		case f.Applies(figure(t, "figure3"), figure(t, "figure4")):
			margins[f.Name] = f.Margin(three, four)
		case f.Applies(figure(t, "figure4"), figure(t, "figure5")):
			margins[f.Name] = f.Margin(four, five)
		default:
			t.Errorf("%q is neither of figures 3 and 4 nor of 4 and 5", f.Name)
		}
	}
	for name, margin := range margins {
		// The design note says why.
		opposite := slices.Contains([]string{"more memory: simulation at most 20 % more", "much memory: lending no better"}, name)
		if margin < 0 != opposite {
			t.Errorf("%s: margin %g", name, margin)
		}
	}
	for _, name := range []string{
		"simulation suffers with each analytics", "simulation suffers most by oversubscription", "analytics suffers most by oversubscription",
		"analytics suffers least by stop&continue", "more memory lowers dynamicity", "a smaller system behaves the same",
	} {
		if !(margins[name] > 0) {
			t.Errorf("%s: margin %g", name, margins[name])
		}
	}
}

// Findings that a parameter decides. Without a loss by switching the simulation loses the same by oversubscription as
// by lending, since the memory's bandwidth is used up either way. Any loss makes oversubscription the worse one. The
// analytics fare worse by oversubscription even without a loss.
func TestFindingsThatTheLossDecides(t *testing.T) {
	at := func(loss float64) (simulation, analytics float64) {
		lossy := benchmark.DefaultContention()
		lossy.SwitchLoss = loss
		six := map[djsbconfig.Scenario]djsb.Summary{}
		for _, s := range measure(t, "figure3", lossy) {
			if s.Analyses == 6 {
				six[s.Scenario] = s
			}
		}
		over, lend := six[djsbconfig.ScenarioOversubscription], six[djsbconfig.ScenarioCooperative]
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
