package djsb_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// near compares numbers that were computed by hand to six digits.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) }

// The sizes of figures 3 and 4: "Simulation job requests 1024 CPUs. Analytics job requests
// 50% of simulation size."
var paper = djsb.Jobs{SimulationCPUs: 1024, AnalysisCPUs: 512}

// Equations (3) to (8) with n_a = 2 analytics of 20 s in a simulation of 360 s:
// N_s T_s = 368,640, N_a T_a = 10,240.
func TestWeights(t *testing.T) {
	for _, tc := range []struct {
		scenario djsbconfig.Scenario
		want     djsb.Weights
	}{
		// N_s T_s and N_a T_a, of the times in which they had their cores.
		{djsbconfig.ScenarioQueue, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		{djsbconfig.ScenarioPreemptSuspend, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		{djsbconfig.ScenarioPreemptRequeue, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		{djsbconfig.ScenarioTimeSlices, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		{djsbconfig.ScenarioKeptFree, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		{djsbconfig.ScenarioWaiting, djsb.Weights{Simulation: 368_640, Analysis: 10_240}},
		// (3) 368,640 - 1/2 512 2 20, (4) 1/2 512 20.
		{djsbconfig.ScenarioOversubscription, djsb.Weights{Simulation: 358_400, Analysis: 5_120}},
		// (5) 1024 (360 - 2 20), (6) 512 20.
		{djsbconfig.ScenarioStopContinue, djsb.Weights{Simulation: 327_680, Analysis: 10_240}},
		// (7) 368,640 - 512 2 20, (8) 512 20.
		{djsbconfig.ScenarioCooperative, djsb.Weights{Simulation: 348_160, Analysis: 10_240}},
	} {
		got, err := djsb.WeightsOf(tc.scenario, paper, 360, 20, 2)
		if err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v, want %+v", tc.scenario, got, err, tc.want)
		}
		// Without analytics the whole simulation counts, and nothing else.
		got, err = djsb.WeightsOf(tc.scenario, paper, 300, 20, 0)
		if want := (djsb.Weights{Simulation: 307_200}); err != nil || got != want {
			t.Errorf("%s, n_a = 0: got %+v, %v, want %+v", tc.scenario, got, err, want)
		}
	}
}

// At the limit analytics take the whole time of the simulation; beyond it they were not
// within it.
func TestWeightsAtTheirLimits(t *testing.T) {
	got, err := djsb.WeightsOf(djsbconfig.ScenarioStopContinue, paper, 60, 10, 6)
	if want := (djsb.Weights{Analysis: 5_120}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, s := range []djsbconfig.Scenario{djsbconfig.ScenarioStopContinue, "gang"} {
		if got, err := djsb.WeightsOf(s, paper, 59, 10, 6); err == nil {
			t.Errorf("%s: got %+v, want an error", s, got)
		}
	}
}

// Equation (2): with weights 3 and 1 and slowdowns 2 and 16 the logarithms to base 2 are 1
// and 4, their mean (3 + 4)/4 = 7/4.
func TestDynamicity(t *testing.T) {
	if got, want := djsb.Dynamicity(djsb.Weights{Simulation: 3, Analysis: 1}, 2, 16), math.Pow(2, -1.75); !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := djsb.Dynamicity(djsb.Weights{Simulation: 3, Analysis: 1}, 1, 1); got != 1 {
		t.Errorf("slowdowns of 1: got %v, want exactly 1", got)
	}
	if got := djsb.Dynamicity(djsb.Weights{Simulation: 3}, 4, 0); !near(got, 0.25) {
		t.Errorf("no analytics: got %v, want the inverse of the simulation's slowdown", got)
	}
}

func job(submit, start, end float64) djsb.Times {
	return djsb.Times{Submit: submit, Start: start, End: end}
}

// A sample by hand: alone 300 s and 10 s. The simulation waits 2 s and runs for 358 s (slowdown 1.2). The analytics
// respond in 20 s and 30 s (mean slowdown 2.5) and run for 20 s and 28 s (mean 24 s).
func TestEvaluate(t *testing.T) {
	ref := djsb.Reference{Simulation: 300, Analysis: 10}
	sample := djsb.Sample{Simulation: job(0, 2, 360), Analyses: []djsb.Times{job(50, 50, 70), job(100, 102, 130)}}
	m, err := djsb.Evaluate(djsbconfig.ScenarioCooperative, paper, ref, sample)
	if err != nil {
		t.Fatal(err)
	}
	// (7) 1024 358 - 512 2 24 = 342,016, (8) 512 24 = 12,288.
	if want := (djsb.Weights{Simulation: 342_016, Analysis: 12_288}); m.Weights != want {
		t.Errorf("got %+v, want %+v", m.Weights, want)
	}
	for name, v := range map[string][2]float64{
		"slowdown of the simulation":   {m.SimulationSlowdown, 1.2},
		"slowdown of the analytics":    {m.AnalysisSlowdown, 2.5},
		"wait of the simulation":       {m.SimulationWait, 2},
		"wait of the analytics":        {m.AnalysisWait, 1},
		"response of the analytics":    {m.AnalysisResponse, 25},
		"execution of the analytics":   {m.AnalysisExecution, 24},
		"dynamicity":                   {m.Dynamicity, math.Pow(1.2, -342016.0/354304) * math.Pow(2.5, -12288.0/354304)},
		"dynamicity, n_a times weight": {m.DynamicityOfAll, math.Pow(1.2, -342016.0/366592) * math.Pow(2.5, -24576.0/366592)},
	} {
		if !near(v[0], v[1]) {
			t.Errorf("%s: got %v, want %v", name, v[0], v[1])
		}
	}
}

// Half of figure 3's machine kept free, by hand. The simulation has 512 of its 1024 cores and takes 600 s in place of
// 300. An analytics has its 512 cores on half of the nodes and takes 20 s in place of 10. Both slowdowns are 2, so
// the dynamicity is 1/2. The weight of the simulation is 512 600, which is 1024 300, and the weight of the idle nodes
// is nobody's.
func TestKeptFree(t *testing.T) {
	c := djsbconfig.BuiltinDJSB()[0]
	c.Scenarios = []djsbconfig.Scenario{djsbconfig.ScenarioKeptFree}
	jobs := djsb.JobsOf(c, djsbconfig.ScenarioKeptFree)
	if want := (djsb.Jobs{SimulationCPUs: 512, AnalysisCPUs: 512}); jobs != want {
		t.Errorf("got %+v, want %+v", jobs, want)
	}
	if got := djsb.JobsOf(c, djsbconfig.ScenarioQueue); got != paper {
		t.Errorf("queue: got %+v, want %+v", got, paper)
	}
	sample := djsb.Sample{Simulation: job(0, 0, 600), Analyses: []djsb.Times{job(20, 20, 40), job(60, 60, 80)}}
	m, err := djsb.Evaluate(djsbconfig.ScenarioKeptFree, jobs, djsb.Reference{Simulation: 300, Analysis: 10}, sample)
	if want := (djsb.Weights{Simulation: 307_200, Analysis: 10_240}); err != nil || m.Weights != want || !near(m.Dynamicity, 0.5) || !near(m.DynamicityOfAll, 0.5) {
		t.Errorf("got %+v, %v, want %+v", m, err, want)
	}
}

// A simulation that waits, by hand. It comes at 2 s, waits for an analytics that runs and one that passes it, starts
// at 26 s and takes its 300 s: a slowdown of 324/300. The analytics that ran takes 20 s beside the other one, which
// waits 3 s and takes 15 s. The third waits for the simulation.
func TestWaitingSimulation(t *testing.T) {
	sample := djsb.Sample{Simulation: job(2, 26, 326), Analyses: []djsb.Times{job(0, 0, 20), job(2, 5, 20), job(2, 326, 336)}}
	m, err := djsb.Evaluate(djsbconfig.ScenarioWaiting, paper, djsb.Reference{Simulation: 300, Analysis: 10}, sample)
	// 1024 300, and 512 times the mean of 20, 15 and 10.
	if err != nil || !near(m.Weights.Simulation, 307_200) || !near(m.Weights.Analysis, 7_680) || !near(m.SimulationSlowdown, 1.08) || !near(m.AnalysisSlowdown, (2+1.8+33.4)/3) {
		t.Errorf("got %+v, %v", m, err)
	}
}

// A requeued simulation by hand: it waits 1 s, runs 16 s in vain, waits 123 s, and runs 100 s.
// "Response time is wait time + execution time", and the lost work is execution.
func TestRequeued(t *testing.T) {
	s := djsb.Times{Submit: 0, Start: 140, End: 240, Lost: 16}
	if s.Wait() != 124 || s.Execution() != 116 || s.Response() != 240 {
		t.Errorf("got wait %v, execution %v, response %v", s.Wait(), s.Execution(), s.Response())
	}
	ref := djsb.Reference{Simulation: 100, Analysis: 10}
	sample := djsb.Sample{Simulation: s, Analyses: []djsb.Times{job(17, 17, 27)}}
	m, err := djsb.Evaluate(djsbconfig.ScenarioPreemptRequeue, paper, ref, sample)
	// 1024 116 and 512 10: what it occupied, the machine being free or another's besides.
	if want := (djsb.Weights{Simulation: 118_784, Analysis: 5_120}); err != nil || m.Weights != want || !near(m.SimulationSlowdown, 2.4) {
		t.Errorf("got %+v, %v, want %+v", m, err, want)
	}
}

// Time slices by hand: of its 60 s the analytics had its cores for 10 s, the simulation for 100
// s of 110 s.
func TestSuspendedTimeHasNoWeight(t *testing.T) {
	ref := djsb.Reference{Simulation: 100, Analysis: 10}
	sample := djsb.Sample{
		Simulation: djsb.Times{Start: 0, End: 110, Suspended: 10},
		Analyses:   []djsb.Times{{Submit: 20, Start: 20, End: 80, Suspended: 50}},
	}
	for _, scenario := range []djsbconfig.Scenario{djsbconfig.ScenarioTimeSlices, djsbconfig.ScenarioPreemptSuspend} {
		m, err := djsb.Evaluate(scenario, paper, ref, sample)
		if want := (djsb.Weights{Simulation: 102_400, Analysis: 5_120}); err != nil || m.Weights != want || !near(m.AnalysisSlowdown, 6) {
			t.Errorf("%s: got %+v, %v, want %+v", scenario, m, err, want)
		}
	}
	// (5) and (6) take the suspended time to be the time of the analytics: 1024 (110 - 60), 512 60.
	m, err := djsb.Evaluate(djsbconfig.ScenarioStopContinue, paper, ref, sample)
	if want := (djsb.Weights{Simulation: 51_200, Analysis: 30_720}); err != nil || m.Weights != want {
		t.Errorf("by the letter: got %+v, %v, want %+v", m, err, want)
	}
}

// Jobs that nobody disturbs have slowdowns of exactly 1 and a dynamicity of exactly 1, in
// each scenario and with any number of analytics.
func TestUndisturbed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scenario := rapid.SampledFrom(djsbconfig.Scenarios()).Draw(t, "scenario")
		alone := rapid.IntRange(1, 60).Draw(t, "analysis")
		n := rapid.IntRange(0, 8).Draw(t, "n")
		simulation := n*alone + rapid.IntRange(1, 1000).Draw(t, "rest")
		sample := djsb.Sample{Simulation: job(0, 0, float64(simulation))}
		for i := range n {
			sample.Analyses = append(sample.Analyses, job(float64(i*alone), float64(i*alone), float64((i+1)*alone)))
		}
		m, err := djsb.Evaluate(scenario, paper, djsb.Reference{Simulation: float64(simulation), Analysis: float64(alone)}, sample)
		if err != nil {
			t.Fatal(err)
		}
		if m.SimulationSlowdown != 1 || math.Abs(m.Dynamicity-1) > 1e-12 || math.Abs(m.DynamicityOfAll-1) > 1e-12 || n > 0 && math.Abs(m.AnalysisSlowdown-1) > 1e-12 {
			t.Fatalf("got %+v", m)
		}
	})
}

// A geometric mean lies between what it is of.
func TestDynamicityLiesBetweenTheInverseSlowdowns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := djsb.Weights{Simulation: rapid.Float64Range(0, 1e6).Draw(t, "w_s"), Analysis: rapid.Float64Range(1, 1e6).Draw(t, "w_a")}
		s, a := rapid.Float64Range(1, 50).Draw(t, "s"), rapid.Float64Range(1, 50).Draw(t, "a")
		low, high := 1/max(s, a), 1/min(s, a)
		if got := djsb.Dynamicity(w, s, a); got < low*(1-1e-12) || got > high*(1+1e-12) {
			t.Fatalf("got %v, want it in %v..%v", got, low, high)
		}
	})
}

// Section 4.4 describes figure 3 with six analytics. The simulation loses "at most 20%" in the dynamic scenario, and
// oversubscription is "up to 20% worse than in the case of stop&continue, and up to 30% worse than in case of
// dynamic". The analytics lose "up to 214%" by oversubscription, nothing by stop&continue, 104 % in the dynamic
// scenario. The dynamicities that it gives for them are 62, 79 and 74 %. The weight of all analytics comes nearer to
// each of them than the weight of one.
func TestPaperFitsTheWeightOfAll(t *testing.T) {
	for _, tc := range []struct {
		scenario             djsbconfig.Scenario
		simulation, analysis float64
		printed              float64
	}{
		{djsbconfig.ScenarioOversubscription, 1.5, 3.14, 0.62},
		{djsbconfig.ScenarioStopContinue, 1.3, 1, 0.79},
		{djsbconfig.ScenarioCooperative, 1.2, 2.04, 0.74},
	} {
		w, err := djsb.WeightsOf(tc.scenario, paper, 300*tc.simulation, 10*tc.analysis, 6)
		if err != nil {
			t.Fatal(err)
		}
		literal := djsb.Dynamicity(w, tc.simulation, tc.analysis)
		w.Analysis *= 6
		all := djsb.Dynamicity(w, tc.simulation, tc.analysis)
		t.Logf("%s: literal %.3f, all %.3f, printed %.2f", tc.scenario, literal, all, tc.printed)
		if math.Abs(all-tc.printed) >= math.Abs(literal-tc.printed) || math.Abs(all-tc.printed) > 0.025 {
			t.Errorf("%s: got %.3f by the letter, %.3f with the weight of all, the paper has %.2f", tc.scenario, literal, all, tc.printed)
		}
	}
}

func TestBadSamples(t *testing.T) {
	good := djsb.Reference{Simulation: 300, Analysis: 10}
	for _, tc := range []struct {
		name   string
		ref    djsb.Reference
		sample djsb.Sample
		want   string
	}{
		{"failed", good, djsb.Sample{Simulation: job(0, 0, 300), Failed: "analytics 1 was cancelled"}, "it failed: analytics 1 was cancelled"},
		{"no reference", djsb.Reference{Simulation: 300}, djsb.Sample{Simulation: job(0, 0, 300)}, "reference times are 300 s and 0 s"},
		{"suspended for longer than it was there", good, djsb.Sample{Simulation: djsb.Times{End: 300, Suspended: 301}}, "suspended for 301"},
		{"lost more than was before", good, djsb.Sample{Simulation: djsb.Times{Start: 5, End: 305, Lost: 6}}, "lost 6"},
		{"never started", good, djsb.Sample{Simulation: job(0, math.NaN(), 300)}, "simulation: submit 0, start NaN"},
		{"ends before it starts", good, djsb.Sample{Simulation: job(0, 0, 300), Analyses: []djsb.Times{job(5, 9, 8)}}, "analytics 1: submit 5, start 9, end 8"},
		{"starts before it comes", good, djsb.Sample{Simulation: job(5, 4, 300)}, "allowed is submit <= start < end"},
		{"longer than the simulation", good, djsb.Sample{Simulation: job(0, 0, 10), Analyses: []djsb.Times{job(0, 0, 20)}}, "leave a simulation of 10 s"},
	} {
		if m, err := djsb.Evaluate(djsbconfig.ScenarioStopContinue, paper, tc.ref, tc.sample); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %+v, %v, want an error with %q", tc.name, m, err, tc.want)
		}
	}
}

// "A run that failed is never averaged": three samples with slowdowns 1.1, 1.2 and 1.3, and one that failed though it
// has times. Their mean is 1.2, their deviation 0.1, and t(2) = 4.302653: the interval is 1.2 +- 4.302653 0.1 /
// sqrt(3).
func TestSummarise(t *testing.T) {
	ref := djsb.Reference{Simulation: 100, Analysis: 10}
	samples := []djsb.Sample{
		{Simulation: job(0, 0, 110)}, {Simulation: job(0, 0, 900), Failed: "the simulation was killed"},
		{Simulation: job(7, 7, 127)}, {Simulation: job(0, 30, 130)},
	}
	var trials []djsb.Trial
	for i, s := range samples {
		trials = append(trials, djsb.Trial{Scenario: djsbconfig.ScenarioQueue, Number: i + 1, Reference: ref, Sample: s})
	}
	sum := djsb.Summarise(djsbconfig.ScenarioQueue, paper, 0, trials)
	e := sum.SimulationSlowdown
	const half = 4.302653 * 0.1 / 1.7320508
	if sum.Samples != 3 || sum.Failed != 1 || len(sum.Reasons) != 1 || !near(e.Mean, 1.2) || e.Interval == nil ||
		!near(e.Interval.Low, 1.2-half) || !near(e.Interval.High, 1.2+half) {
		t.Errorf("got %+v with the interval %+v", sum, e.Interval)
	}
	one := djsb.Summarise(djsbconfig.ScenarioQueue, paper, 0, trials[:2])
	if one.Samples != 1 || one.Dynamicity.Interval != nil || !near(one.Dynamicity.Mean, 1/1.1) {
		t.Errorf("one sample: got %+v", one)
	}
}
