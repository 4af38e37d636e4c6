package djsb

import (
	"fmt"

	"github.com/slurmlab/slurmlab/results/table"
)

// decimals of a shown number: the paper prints whole per cent.
const decimals = 3

// Table has a row for each experiment.
func Table(summaries []Summary) (table.Table, error) {
	fields := []table.Field[Summary]{
		table.Word("scenario", func(s Summary) string { return string(s.Scenario) }),
		table.Number("analytics", func(s Summary) float64 { return float64(s.Analyses) }),
		table.Number("samples", func(s Summary) float64 { return float64(s.Samples) }),
		table.Number("failed", func(s Summary) float64 { return float64(s.Failed) }),
	}
	columns := []table.Column{
		table.Words("Scenario", "scenario"), table.Numbers("Analytics", "analytics", 0),
		table.Numbers("Samples", "samples", 0).Ranked(6), table.Numbers("Failed samples", "failed", 0).Ranked(2),
	}
	for _, m := range []struct {
		title, name string
		rank        int
		of          func(Summary) Estimate
	}{
		{"Slowdown of simulation", "simulation_slowdown", 0, func(s Summary) Estimate { return s.SimulationSlowdown }},
		{"Slowdown of analytics", "analysis_slowdown", 0, func(s Summary) Estimate { return s.AnalysisSlowdown }},
		{"Dynamicity", "dynamicity", 0, func(s Summary) Estimate { return s.Dynamicity }},
		{"Dynamicity, all analytics", "dynamicity_all", 1, func(s Summary) Estimate { return s.DynamicityOfAll }},
		{"Wait of analytics s", "analysis_wait_s", 5, func(s Summary) Estimate { return s.AnalysisWait }},
		{"Response of analytics s", "analysis_response_s", 5, func(s Summary) Estimate { return s.AnalysisResponse }},
	} {
		low, high := m.name+"_low", m.name+"_high"
		fields = append(fields,
			table.Number(m.name, func(s Summary) float64 { return m.of(s).known(s) }),
			table.Number(low, func(s Summary) float64 { return m.of(s).Interval.LowEnd() }),
			table.Number(high, func(s Summary) float64 { return m.of(s).Interval.HighEnd() }))
		columns = append(columns, table.Numbers(m.title, m.name, decimals).Ranked(m.rank),
			table.Intervals("95 % interval of "+m.title, low, high, decimals, "").Ranked(7))
	}
	frame, err := table.NewFrame(summaries, fields...)
	if err != nil {
		return table.Table{}, fmt.Errorf("make table: %w", err)
	}
	return table.New(frame, columns...)
}
