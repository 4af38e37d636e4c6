package djsb

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// responses are those of simulation and analytics in a sample with one analytics, in seconds.
type responses [2]float64

// failed are the responses of a sample that failed.
var failed responses

// sideOf has samples of a simulation of 100 s and an analytics of 10 s.
func sideOf(name string, real bool, samples map[djsbconfig.Scenario][]responses) Side {
	c := djsbconfig.BuiltinDJSB()[0]
	c.NumOfDynAnalysis = []int{1}
	side := Side{name, Results{Record: Record{Config: c, Real: real}}}
	for _, scenario := range c.Scenarios {
		for i, took := range samples[scenario] {
			trial := Trial{
				Scenario: scenario, NumOfDynAnalysis: 1, Number: i + 1, Reference: Reference{Simulation: 100, Analysis: 10},
				Sample: Sample{Simulation: Times{End: took[0]}, Analyses: []Times{{Submit: 20, Start: 20, End: 20 + took[1]}}},
			}
			if took == failed {
				trial.Failed = "job 4 failed"
			}
			side.Trials = append(side.Trials, trial)
		}
	}
	side.summarise()
	return side
}

// textOf is a table with all its columns.
func textOf(t *testing.T, tab table.Table, found bool, err error) string {
	t.Helper()
	if err != nil || !found {
		t.Fatalf("found %t, %v", found, err)
	}
	var csv strings.Builder
	if err := tab.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	return csv.String()
}

// Pairs of samples by hand: the simulation's slowdowns are 1.2, 1.3 and 1.4 on one side, and 1.3,
// a sample that failed, and 1.7 on the other. The differences are 0.1 and 0.3, their mean is 0.2,
// their deviation 0.1414214, and t(1) = 12.7062047: the interval is 0.2 +- 1.27062.
func TestDifferences(t *testing.T) {
	stop := djsbconfig.ScenarioStopContinue
	first := sideOf("first", false, map[djsbconfig.Scenario][]responses{stop: {{120, 10}, {130, 10}, {140, 10}}})
	second := sideOf("second", false, map[djsbconfig.Scenario][]responses{stop: {{130, 20}, failed, {170, 20}}, djsbconfig.ScenarioQueue: {{100, 90}}})
	tab, found, err := DifferencesTable([]Side{first, second})
	lines := strings.Split(strings.TrimSpace(textOf(t, tab, found, err)), "\n")
	// The first side has no plain queue.
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "second,stop-continue,1,2,") {
		t.Fatalf("got %q", lines)
	}
	want := map[string]float64{
		"simulation_slowdown": 0.2, "simulation_slowdown_low": 0.2 - 1.270620, "simulation_slowdown_high": 0.2 + 1.270620,
		"analysis_slowdown": 1, "analysis_slowdown_low": 1, "analysis_slowdown_high": 1,
	}
	row := strings.Split(lines[1], ",")
	for i, name := range strings.Split(lines[0], ",") {
		value, known := want[name]
		if got, err := strconv.ParseFloat(row[i], 64); known && (err != nil || math.Abs(got-value) > 1e-5) {
			t.Errorf("%s: got %s, want %g", name, row[i], value)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no columns %v", want)
	}
	if _, found, err := DifferencesTable([]Side{second, sideOf("empty", false, nil)}); found || err != nil {
		t.Errorf("found %t, %v", found, err)
	}
}

// Comparisons of two scenarios: more than a second apart in each sample, a second by which rounding alone may have
// moved them, a difference that is smaller than their spread, one sample.
func TestContest(t *testing.T) {
	over, stop := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue
	simulation, dynamicity := measures()[0], measures()[3]
	for _, tc := range []struct {
		name             string
		over, stop       []responses
		winner           int
		order            string
		winnerDynamicity int
	}{
		{"apart", []responses{{120, 20}, {121, 20}, {122, 20}}, []responses{{110, 10}, {111, 10}, {112, 10}}, 1, "stop-continue > oversubscription", 1},
		{"a second", []responses{{120, 20}, {121, 20}, {122, 20}}, []responses{{119, 20}, {120, 20}, {121, 20}}, 0, "stop-continue ~ oversubscription", -1},
		{"more than a second", []responses{{120, 20}, {121, 20}, {122, 20}}, []responses{{116, 20}, {118, 20}, {120, 20}}, 1, "stop-continue > oversubscription", 0},
		{"spread", []responses{{120, 20}, {121, 20}, {122, 20}}, []responses{{150, 20}, {122, 20}, {100, 20}}, 0, "oversubscription ~ stop-continue", 0},
		{"one sample", []responses{{150, 20}}, []responses{{110, 10}}, 0, "stop-continue ~ oversubscription", 0},
	} {
		side := sideOf("x", true, map[djsbconfig.Scenario][]responses{over: tc.over, stop: tc.stop})
		if got := side.contest(simulation, 1, over, stop); got.winner != tc.winner {
			t.Errorf("%s: got %+v, want %d", tc.name, got, tc.winner)
		}
		if got := side.contest(simulation, 1, stop, over); got.winner != -tc.winner {
			t.Errorf("%s, the other way round: got %+v", tc.name, got)
		}
		if got := side.order(simulation, 1, []djsbconfig.Scenario{over, stop}); got != tc.order {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.order)
		}
		// Of the dynamicity more is better. Equations (3) to (6) weigh the same times otherwise.
		if got := side.contest(dynamicity, 1, over, stop); got.winner != tc.winnerDynamicity {
			t.Errorf("%s, dynamicity: got %+v, want %d", tc.name, got, tc.winnerDynamicity)
		}
	}
}

// Real applications beside emulated ones of the same configuration: where the orders are the same,
// where they are the opposite, and where one alone tells the scenarios apart.
func TestOrders(t *testing.T) {
	over, stop := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue
	fast, slow := []responses{{110, 10}, {111, 10}, {112, 10}}, []responses{{130, 30}, {131, 30}, {132, 30}}
	side := func(name string, real bool, overs, stops []responses) Side {
		return sideOf(name, real, map[djsbconfig.Scenario][]responses{over: overs, stop: stops})
	}
	real := side("real", true, slow, fast)
	for _, tc := range []struct {
		emulated Side
		verdict  string
		// rows are as many as say so: with the same times the weights of equations (3) to (6)
		// still tell the dynamicities apart.
		rows, opposite int
		sentence       string
	}{
		{side("agrees", false, slow, fast), "agree", 4, 0, ""},
		{side("differs", false, fast, slow), "differ", 4, 4, "Slowdown of simulation with 1 analytics, stop-continue less oversubscription: real -0.200 [-0.200, -0.200], emulated +0.200 [+0.200, +0.200]; the opposite."},
		{side("level", false, slow, slow), "told apart by one alone", 2, 2, "Slowdown of analytics with 1 analytics, stop-continue less oversubscription: real -2.000 [-2.000, -2.000], emulated 0.000 [0.000, 0.000]; told apart by real applications alone."},
	} {
		sides := []Side{tc.emulated, real}
		tab, sentences, found, err := OrderTable(sides)
		text := textOf(t, tab, found, err)
		if got := strings.Count(text, ","+tc.verdict+","); got != tc.rows {
			t.Errorf("%s: %d rows say %q:\n%s", tc.emulated.Name, got, tc.verdict, text)
		}
		if !strings.Contains(text, ",stop-continue > oversubscription,") {
			t.Errorf("%s: got\n%s", tc.emulated.Name, text)
		}
		if len(sentences) != tc.opposite || !strings.Contains(text, tc.sentence) {
			t.Errorf("%s: got %q and\n%s\nwant %d sentences and %s", tc.emulated.Name, sentences, text, tc.opposite, tc.sentence)
		}
	}
	level := side("level too", true, slow, slow)
	if tab, sentences, found, err := OrderTable([]Side{level, side("level", false, slow, slow)}); !strings.Contains(textOf(t, tab, found, err), "nothing told apart") || len(sentences) > 0 {
		t.Errorf("got %v", sentences)
	}
	third := func(name string, real bool, lends []responses) Side {
		return sideOf(name, real, map[djsbconfig.Scenario][]responses{over: slow, stop: fast, djsbconfig.ScenarioCooperative: lends})
	}
	tab, _, found, err := OrderTable([]Side{third("real", true, []responses{{120, 20}, {121, 20}, {122, 20}}), third("emulated", false, fast)})
	const want = "agree where both tell,stop-continue > cooperative-dynamic > oversubscription,stop-continue ~ cooperative-dynamic > oversubscription,"
	if text := textOf(t, tab, found, err); strings.Count(text, want) < 2 {
		t.Errorf("got\n%s\nwant %s of both slowdowns", text, want)
	}
	other := side("another machine", false, slow, fast)
	other.Record.Config.Machine.Nodes++
	for _, sides := range [][]Side{{real, other}, {real, level}, {real, sideOf("empty", false, nil)}} {
		if _, _, found, err := OrderTable(sides); found || err != nil {
			t.Errorf("%s: found %t, %v", sides[1].Name, found, err)
		}
	}
}

// Which of the built-in configurations each sentence on two of them is about.
func TestBetweenApplies(t *testing.T) {
	want := map[string]string{
		"figure3 figure4": "memory", "figure3 figure4.5GiB": "memory", "figure4 figure5": "a smaller",
		// But for its scenarios it is figure3.
		"policy figure4": "memory", "policy figure4.5GiB": "memory",
	}
	for _, f := range FindingsBetween() {
		for _, before := range djsbconfig.BuiltinDJSB() {
			for _, after := range djsbconfig.BuiltinDJSB() {
				kind := want[before.Name+" "+after.Name]
				if got := f.Applies(before, after); got != (kind != "" && strings.Contains(f.Name, kind)) {
					t.Errorf("%s: %s and %s: got %t", f.Name, before.Name, after.Name, got)
				}
			}
		}
	}
	three, four := djsbconfig.BuiltinDJSB()[0], djsbconfig.BuiltinDJSB()[1]
	four.Machine.Cores++
	for _, f := range FindingsBetween() {
		if f.Applies(three, four) {
			t.Errorf("%s: of other nodes with more memory", f.Name)
		}
	}
}

// The numbers that the paper states of figures 3 and 4 bear out its sentences on them, and the
// other way round they say the opposite.
func TestBetween(t *testing.T) {
	over, stop, lend := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative
	summary := func(s djsbconfig.Scenario, simulation, analysis, dynamicity float64) Summary {
		return Summary{Scenario: s, Analyses: 6, Samples: 3, SimulationSlowdown: Estimate{Mean: simulation}, AnalysisSlowdown: Estimate{Mean: analysis}, DynamicityOfAll: Estimate{Mean: dynamicity}}
	}
	// Dynamicities are stated, and at most 20 % and almost double for slowdowns.
	three := []Summary{summary(over, 1.5, 3.14, 0.62), summary(stop, 1.3, 1, 0.79), summary(lend, 1.2, 2.04, 0.74)}
	four := []Summary{summary(over, 1.69, 5.2, 0.52), summary(stop, 1.45, 1.9, 0.63), summary(lend, 1.35, 3.9, 0.49)}
	half := []Summary{summary(over, 1.7, 5.1, 0.53), summary(stop, 1.44, 1.9, 0.63), summary(lend, 1.35, 3.8, 0.48)}
	for _, f := range FindingsBetween() {
		before, after, unlike := three, four, []Summary{summary(over, 1.8, 3, 0.63), summary(stop, 1.3, 1, 0.79), summary(lend, 1.2, 2.04, 0.75)}
		if strings.Contains(f.Name, "smaller") {
			before, after, unlike = four, half, three
		}
		if margin := f.Margin(before, after); !(margin > 0) {
			t.Errorf("%s: margin %g with the paper's own numbers", f.Name, margin)
		}
		if margin := f.Margin(before, unlike); margin > 0 {
			t.Errorf("%s: margin %g with numbers that say the opposite", f.Name, margin)
		}
		if margin := f.Margin(before, nil); !math.IsNaN(margin) {
			t.Errorf("%s: margin %g without the second side", f.Name, margin)
		}
	}
	// By hand: 0.79 - 0.63, 0.74 - 0.49 and 0.62 - 0.52 for the dynamicity, of which the last is the least.
	if got := FindingsBetween()[2].Margin(three, four); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("got %g, want 0.1", got)
	}
}

// Only sides of the same kind are put together, in each pair that fits.
func TestBetweenTable(t *testing.T) {
	of := func(config int, real bool, model string) Side {
		c := djsbconfig.BuiltinDJSB()[config]
		return Side{c.Name, Results{Record: Record{Config: c, Real: real, Model: []byte(model)}}}
	}
	tab, found, err := BetweenTable([]Side{of(3, false, "{}"), of(1, false, "{}"), of(0, false, "{}")})
	if text := textOf(t, tab, found, err); strings.Count(text, ",figure3,figure4,not measured,") != 4 || strings.Count(text, ",figure4,figure5,not measured,") != 1 || strings.Count(text, "\n") != 6 {
		t.Errorf("got\n%s", text)
	}
	auction, named := of(1, false, "{}"), of(0, false, "{}")
	auction.Record.Policy, named.Record.Policy = "auction", policy.WholeQueue
	if _, found, err := BetweenTable([]Side{named, of(1, false, "{}")}); !found || err != nil {
		t.Errorf("under backfill, which older records do not name: found %t, %v", found, err)
	}
	for _, sides := range [][]Side{{of(0, false, "{}"), auction}, {of(0, false, "{}"), of(1, true, "{}")}, {of(0, false, "{}"), of(1, false, `{"switch_loss": 0}`)}, {of(0, false, "{}"), of(3, false, "{}")}} {
		if _, found, err := BetweenTable(sides); found || err != nil {
			t.Errorf("%+v: found %t, %v", sides, found, err)
		}
	}
}
