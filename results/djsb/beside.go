package djsb

import (
	"fmt"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// besidePaper is one value that the paper states, with ours.
type besidePaper struct {
	scenario djsbconfig.Scenario
	measure  string
	paper    float64
	ours     Estimate
	known    bool
	analyses int
}

// difference is ours less the paper's, NaN without ours.
func (b besidePaper) difference() float64 {
	if !b.known {
		return math.NaN()
	}
	return b.ours.Mean - b.paper
}

// PaperTable has a row for each value that the paper states of the configuration, beside ours
// with the most analytics that were run, as the paper states what is reached at most.
func (r Results) PaperTable() (table.Table, error) {
	var rows []besidePaper
	for _, scenario := range r.Record.Config.Scenarios {
		var most Summary
		for _, s := range r.Summaries {
			if s.Scenario == scenario && s.Samples > 0 && s.Analyses > most.Analyses {
				most = s
			}
		}
		b := PaperBounds(r.Record.Config.Name, scenario)
		for _, v := range []besidePaper{
			{measure: "slowdown of simulation", paper: b.SimulationSlowdown, ours: most.SimulationSlowdown},
			{measure: "slowdown of analytics", paper: b.AnalysisSlowdown, ours: most.AnalysisSlowdown},
			{measure: "dynamicity, all analytics", paper: b.Dynamicity, ours: most.DynamicityOfAll},
		} {
			v.scenario, v.known, v.analyses = scenario, most.Samples > 0, most.Analyses
			if !math.IsNaN(v.paper) {
				rows = append(rows, v)
			}
		}
	}
	known := func(of func(besidePaper) float64) func(besidePaper) float64 {
		return func(b besidePaper) float64 {
			if !b.known {
				return math.NaN()
			}
			return of(b)
		}
	}
	frame, err := table.NewFrame(rows,
		table.Word("scenario", func(b besidePaper) string { return string(b.scenario) }),
		table.Word("measure", func(b besidePaper) string { return b.measure }),
		table.Number("paper", func(b besidePaper) float64 { return b.paper }),
		table.Number("analytics", known(func(b besidePaper) float64 { return float64(b.analyses) })),
		table.Number("ours", known(func(b besidePaper) float64 { return b.ours.Mean })),
		table.Number("ours_low", known(func(b besidePaper) float64 { return b.ours.Interval.LowEnd() })),
		table.Number("ours_high", known(func(b besidePaper) float64 { return b.ours.Interval.HighEnd() })),
		table.Number("difference", besidePaper.difference),
	)
	if err != nil {
		return table.Table{}, fmt.Errorf("make table: %w", err)
	}
	return table.New(frame, table.Words("Scenario", "scenario"), table.Words("Measure", "measure"), table.Numbers("Paper", "paper", decimals),
		table.Numbers("Ours", "ours", decimals), table.Numbers("Difference", "difference", decimals),
		table.Intervals("95 % interval", "ours_low", "ours_high", decimals, "").Ranked(2), table.Numbers("Analytics", "analytics", 0).Ranked(1))
}

// FindingsTable has a row for each finding of the paper, with what our numbers say to it.
func (r Results) FindingsTable() (table.Table, error) {
	frame, err := table.NewFrame(Findings(),
		table.Word("finding", func(f Finding) string { return f.Name }),
		table.Word("ours", func(f Finding) string { return Verdict(f.Margin(r.Summaries)) }),
		table.Number("margin", func(f Finding) float64 { return f.Margin(r.Summaries) }),
		table.Word("paper", func(f Finding) string { return f.Words }),
	)
	if err != nil {
		return table.Table{}, fmt.Errorf("make table: %w", err)
	}
	return table.New(frame, table.Words("Finding of the paper", "finding"), table.Words("Ours", "ours"), table.Numbers("Margin", "margin", decimals),
		table.Words("In the paper's words", "paper").Ranked(5))
}

// Stated says whether the paper states a value of the configuration.
func Stated(configuration string) bool {
	for _, s := range PaperScenarios() {
		b := PaperBounds(configuration, s)
		if !math.IsNaN(b.Dynamicity) {
			return true
		}
	}
	return false
}

// Provenance says what in the results follows from Slurm's real actions, and what from the
// model.
func (r Results) Provenance() []string {
	if r.Record.Config.On != djsbconfig.SystemCluster {
		return []string{"Nothing is modelled: the applications were programs of the user's, in real time on " + r.Record.System() + "."}
	}
	if r.Record.Real {
		return []string{"Nothing is modelled: the applications are STREAM's triad, in real time on the cores of the machine that ran them; Slurm started, suspended, resumed and ended them, and its times are whole seconds."}
	}
	words := []string{
		"From Slurm's real actions: when each job starts and on which nodes; that it is suspended, resumed and ended, and for how long; all times, in whole seconds.",
		"From the model: how fast an application goes beside another one on its nodes, and which cores a simulation lends.",
	}
	if slices.Contains(r.Record.Config.Scenarios, djsbconfig.ScenarioKeptFree) {
		words = append(words, "Also from the model: how much longer an application takes on fewer nodes, where others are kept free.")
	}
	if r.Record.Policy != "" {
		words = append(words, "Policy "+r.Record.Policy+" scheduled the jobs.")
	}
	return words
}
