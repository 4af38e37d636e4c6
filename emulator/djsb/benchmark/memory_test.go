package benchmark_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

func figure(t *testing.T, name string) djsbconfig.DJSB {
	t.Helper()
	c, err := djsbconfig.LoadDJSB(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// By hand, where a job starts a second after its submission. Stop&continue: each analytics of
// 10 s waits a second and stops the simulation for 11 s: 1 + 300 + 6 x 11 = 367 s of 300, and 11
// of 10. Lending: the analytics has half of the bandwidth, so 20 s and the wait, and costs the
// simulation 10 s: 1 + 300 + 6 x 10 = 361 s. Half of the machine kept free: 1 + 600 s, and 1 + 20 s
// with the bandwidth of half of the nodes.
func TestRun(t *testing.T) {
	c := figure(t, "figure3")
	c.Scenarios = append(c.Scenarios, djsbconfig.ScenarioKeptFree, djsbconfig.ScenarioWaiting)
	all, err := benchmark.InMemory(t.Context(), c, benchmark.Parameters{Contention: benchmark.DefaultContention(), StartDelay: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := map[djsbconfig.Scenario][2]float64{djsbconfig.ScenarioStopContinue: {367.0 / 300, 1.1}, djsbconfig.ScenarioCooperative: {361.0 / 300, 2.1}, djsbconfig.ScenarioKeptFree: {601.0 / 300, 2.1}}
	for _, s := range all {
		if s.Failed > 0 || s.Samples != 3 {
			t.Errorf("%s, %d analytics: %d samples, %v", s.Scenario, s.Analyses, s.Samples, s.Reasons)
		}
		if w, known := want[s.Scenario]; known && s.Analyses == 6 {
			if math.Abs(s.SimulationSlowdown.Mean-w[0]) > 1e-3 || math.Abs(s.AnalysisSlowdown.Mean-w[1]) > 1e-3 {
				t.Errorf("%s: got %g and %g, want %v", s.Scenario, s.SimulationSlowdown.Mean, s.AnalysisSlowdown.Mean, w)
			}
			delete(want, s.Scenario)
		}
	}
	if len(want) > 0 || len(all) != len(benchmark.InMemoryScenarios())*4 {
		t.Errorf("got %d summaries, without %v", len(all), want)
	}
}

// Where jobs start at once, the memory's bandwidth is used up by oversubscription as by lending. Without a loss by
// sharing cores the simulation loses as much, and any loss makes oversubscription the worse one. What the analytics
// lose there does not depend on the loss.
func TestSensitivity(t *testing.T) {
	turns, err := benchmark.Sensitivity(t.Context(), figure(t, "figure3"), benchmark.Parameters{Contention: benchmark.DefaultContention()})
	if err != nil {
		t.Fatal(err)
	}
	find := func(finding, parameter string) benchmark.Turn {
		i := slices.IndexFunc(turns, func(t benchmark.Turn) bool { return t.Finding == finding && t.Parameter == parameter })
		if i < 0 {
			t.Fatalf("no %q with %s in %+v", finding, parameter, turns)
		}
		return turns[i]
	}
	if got := find("simulation suffers most by oversubscription", "switch_loss"); got.Margin <= 0 || got.Low <= 0 || got.Low > 0.01 || got.High != got.AllowedHigh {
		t.Errorf("got %+v, want it to turn over at 0 alone", got)
	}
	if got := find("analytics suffers most by oversubscription", "switch_loss"); got.Margin <= 0 || got.Low != got.AllowedLow || got.High != got.AllowedHigh {
		t.Errorf("got %+v, want it never to turn over", got)
	}
	// Of the figures 3 and 4 the pressure of memory is all that differs.
	if got := find("more memory lowers dynamicity", "pressure_loss"); got.Margin <= 0 || got.Low <= 0 || got.Low > 0.01 {
		t.Errorf("got %+v, want it to turn over at 0 alone", got)
	}
	table, err := benchmark.SensitivityTable(turns)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := table.Wide().WriteText(&text); err != nil || !strings.Contains(text.String(), djsb.Findings()[0].Name) || !strings.Contains(text.String(), "never") {
		t.Errorf("got %s, %v", text.String(), err)
	}
}
