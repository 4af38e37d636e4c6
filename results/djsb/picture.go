package djsb

import (
	"io"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/plot"
)

// Draw draws slowdowns and dynamicity over the number of analytics, as the paper's figures 3 to 5, with what the
// paper states as dashed levels. The slowdown of the analytics has a logarithmic axis: in the plain queue it is ten
// times as large as in the other scenarios. It is an error when there is nothing to draw.
func (r Results) Draw(w io.Writer) error {
	var names []string
	simulation, analysis := plot.Means{Title: "Slowdown of the simulation"}, plot.Means{Title: "Slowdown of the analytics", Log: true}
	dynamicity := plot.Means{Title: "Dynamicity, with the weight of all analytics"}
	for _, scenario := range r.Record.Config.Scenarios {
		names = append(names, string(scenario))
		bounds := PaperBounds(r.Record.Config.Name, scenario)
		for _, p := range []struct {
			means *plot.Means
			bound float64
			of    func(Summary) Estimate
			none  bool // of a sample without analytics
		}{
			{&simulation, bounds.SimulationSlowdown, func(s Summary) Estimate { return s.SimulationSlowdown }, false},
			{&analysis, bounds.AnalysisSlowdown, func(s Summary) Estimate { return s.AnalysisSlowdown }, true},
			{&dynamicity, bounds.Dynamicity, func(s Summary) Estimate { return s.DynamicityOfAll }, false},
		} {
			var line []plot.Mean
			for _, s := range r.Summaries {
				if s.Scenario == scenario && s.Samples > 0 && (s.Analyses > 0 || !p.none) {
					e := p.of(s)
					line = append(line, plot.Mean{X: s.Analyses, Y: e.Mean, Low: e.Interval.LowEnd(), High: e.Interval.HighEnd()})
				}
			}
			slices.SortFunc(line, func(a, b plot.Mean) int { return a.X - b.X })
			p.means.Lines, p.means.Bounds = append(p.means.Lines, line), append(p.means.Bounds, p.bound)
			if !math.IsNaN(p.bound) {
				p.means.Note = "dashed: what the paper states"
			}
		}
	}
	return plot.MeansOver(w, "Dynamic job scheduling benchmark "+r.Record.Config.Name, "analytics", names, simulation, analysis, dynamicity)
}
