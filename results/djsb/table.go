package djsb

import (
	"fmt"

	"github.com/slurmlab/slurmlab/results/table"
)

// decimals of a shown number: the paper prints whole per cent.
const decimals = 3

// Table has a row for each experiment.
func Table(summaries []Summary) (table.Table, error) {
	fields, columns := summaryFields(func(s Summary) Summary { return s })
	return newTable(summaries, fields, columns)
}

// SidesTable has a row for each experiment of each side.
func SidesTable(sides []Side) (table.Table, error) {
	type row struct {
		side    string
		summary Summary
	}
	var rows []row
	for _, side := range sides {
		for _, s := range side.Summaries {
			rows = append(rows, row{side.Name, s})
		}
	}
	fields, columns := summaryFields(func(r row) Summary { return r.summary })
	return newTable(rows, append(fields, table.Word("results", func(r row) string { return r.side })),
		append([]table.Column{table.Words("Results", "results").AsIdentity()}, columns...))
}

func newTable[T any](rows []T, fields []table.Field[T], columns []table.Column) (table.Table, error) {
	frame, err := table.NewFrame(rows, fields...)
	if err != nil {
		return table.Table{}, fmt.Errorf("make table: %w", err)
	}
	return table.New(frame, columns...)
}

// summaryFields are the values of an experiment that a row has, and what is shown of them.
func summaryFields[T any](summary func(T) Summary) ([]table.Field[T], []table.Column) {
	fields := []table.Field[T]{
		table.Word("scenario", func(t T) string { return string(summary(t).Scenario) }),
		table.Number("analytics", func(t T) float64 { return float64(summary(t).Analyses) }),
		table.Number("samples", func(t T) float64 { return float64(summary(t).Samples) }),
		table.Number("failed", func(t T) float64 { return float64(summary(t).Failed) }),
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
			table.Number(m.name, func(t T) float64 { return m.of(summary(t)).known(summary(t)) }),
			table.Number(low, func(t T) float64 { return m.of(summary(t)).Interval.LowEnd() }),
			table.Number(high, func(t T) float64 { return m.of(summary(t)).Interval.HighEnd() }))
		columns = append(columns, table.Numbers(m.title, m.name, decimals).Ranked(m.rank),
			table.Intervals("95 % interval of "+m.title, low, high, decimals, "").Ranked(7))
	}
	return fields, columns
}
