package djsb

import (
	"math"
	"testing"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// What DJSB section 4.4 states of figure 3 for six analytics, and half of each loss for three:
// its findings are borne out by its own numbers. Other numbers bear out the opposite.
func TestFindings(t *testing.T) {
	summary := func(s djsbconfig.Scenario, n int, simulation, analysis, dynamicity float64) Summary {
		return Summary{Scenario: s, Analyses: n, Samples: 3, SimulationSlowdown: Estimate{Mean: simulation}, AnalysisSlowdown: Estimate{Mean: analysis}, DynamicityOfAll: Estimate{Mean: dynamicity}}
	}
	over, stop, lend := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative
	paper := []Summary{
		summary(over, 3, 1.25, 3.14, 0.81), summary(over, 6, 1.5, 3.14, 0.62),
		summary(stop, 3, 1.15, 1, 0.9), summary(stop, 6, 1.3, 1, 0.79),
		summary(lend, 3, 1.1, 2.04, 0.87), summary(lend, 6, 1.2, 2.04, 0.74),
	}
	swapped := map[djsbconfig.Scenario]djsbconfig.Scenario{over: stop, stop: over, lend: lend}
	var turned []Summary
	for i, s := range paper {
		// Over two rows further on there are the same numbers of another scenario.
		other := paper[map[djsbconfig.Scenario]int{over: 2, stop: 0, lend: 4}[s.Scenario]+i%2]
		if other.Scenario != swapped[s.Scenario] || other.Analyses != s.Analyses {
			t.Fatalf("%+v is not beside %+v", other, s)
		}
		// The simulation suffers less with each analytics and least by oversubscription, the
		// analytics the more the more there are, and the best dynamicity is the worst.
		turned = append(turned, summary(s.Scenario, s.Analyses, 3-s.SimulationSlowdown.Mean, other.AnalysisSlowdown.Mean*(1+float64(s.Analyses)/6), 1.5-s.DynamicityOfAll.Mean))
	}
	for _, f := range Findings() {
		if margin := f.Margin(paper); !(margin > 0) || Verdict(margin) != "as the paper" {
			t.Errorf("%s: margin %g with the paper's own numbers", f.Name, margin)
		}
		if margin := f.Margin(paper[:1]); !math.IsNaN(margin) || Verdict(margin) != "not measured" {
			t.Errorf("%s: margin %g with one scenario", f.Name, margin)
		}
		if margin := f.Margin(turned); margin > 0 {
			t.Errorf("%s: margin %g with numbers that say the opposite", f.Name, margin)
		}
	}
	// Of figure 3 by the paper's own: 1.3 - 1.2 and 1.15 - 1.1 for the least, 1.5 - 1.3 for the most.
	if got := Findings()[1].Margin(paper); math.Abs(got-0.05) > 1e-9 {
		t.Errorf("got %g, want 0.05", got)
	}
}

func TestPaperTable(t *testing.T) {
	r := Results{Record: Record{Config: djsbconfig.BuiltinDJSB()[0]}}
	table, err := r.PaperTable()
	if err != nil {
		t.Fatal(err)
	}
	// Three slowdowns of the simulation, two of the analytics, three dynamicities.
	if got := len(table.Wide().Rows()); got != 8 {
		t.Errorf("got %d values of figure 3, want 8", got)
	}
	if !Stated("figure4") || Stated("figure5") {
		t.Error("the paper states values of figures 3 and 4")
	}
}
