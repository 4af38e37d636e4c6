package paper

import (
	"math"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
)

// A paper's mean has an error: with published deviations over jobs k times ours, over as many runs, the variance of the
// difference is s² (1 + k²) / n. One run has no verdict, and runs of other work have none (docs/design/043-verdicts.md).
func TestVerdictsBesideAPaper(t *testing.T) {
	row := Row{Name: "r", Replicas: 3}
	ours := []float64{1, 0.8, 1.2}
	figure := func(paperStd float64) Figure {
		f := Figure{Row: row, Policy: "p", Measure: metric.FindMeasure("waiting_s"), Paper: 2, PaperStd: paperStd, OursStd: 1.5, Runs: 3}
		f.besidePaper(ours)
		return f
	}
	// t(0.975, 2) is 4.3027, s is 0.2.
	for k, f := range map[float64]Figure{1: figure(math.NaN()), 2: figure(3)} {
		half := 4.302653 * 0.2 * math.Sqrt((1+k*k)/3)
		if math.Abs(f.Interval.High-(-1+half)) > 1e-5 || (f.P < 0.05) != (half < 1) {
			t.Errorf("k %g: got %+v, p %g, want the half width %g", k, f.Interval, f.P, half)
		}
	}
	one := figure(math.NaN())
	one.Runs, one.Interval, one.P = 1, nil, math.NaN()
	other := Figure{Row: row, Policy: "q", Measure: metric.FindMeasure("theoretical_runtime_s"), Paper: 4, Ours: 1, Runs: 3, P: math.NaN()}
	wrong := figure(math.NaN())
	wrong.Policy = "q"
	figures := []Figure{figure(math.NaN()), other, wrong}
	judgePublished(figures)
	alone := []Figure{one}
	judgePublished(alone)
	for i, got := range []string{figures[0].Words, figures[1].Words, figures[2].Words, alone[0].Words} {
		if want := []string{"ours, by 50 %", "", "other work, no verdict", "one run, no verdict"}[i]; got != want {
			t.Errorf("figure %d: got %q, want %q", i, got, want)
		}
	}
	if rule := strings.Join(Rule(figures), " "); !strings.Contains(rule, "corrected by Holm for the metrics of a row and policy, 1 at most") {
		t.Errorf("got the rule %q", rule)
	}
	if rule := Rule(alone); rule != nil {
		t.Errorf("one run: got the rule %q", rule)
	}
}
