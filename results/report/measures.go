package report

import (
	"math"
	"unicode"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// show writes a measure of a run without its unit: "199 of 211",
// "1.50 ± 0.25", "46.3 %".
func show(m metric.Measure, of *metric.Metrics) string {
	v := valueOf(m, of)
	switch {
	case math.IsNaN(v):
		return nothing
	case m.Of != nil:
		return text.Number(v) + " of " + text.Number(m.Of(*of))
	case m.Std != nil:
		return meanStd(metric.MeanStd{Mean: inUnit(m, v), Std: inUnit(m, m.Std(*of))})
	case m.Unit == metric.Percent:
		return text.Percent(v)
	default:
		return text.Number(inUnit(m, v))
	}
}

// inUnit is a value in the unit in which people read it, hours as on the terminal.
func inUnit(m metric.Measure, v float64) float64 {
	if m.Unit == metric.Hours {
		return m.Unit.InTable(v)
	}
	return v
}

// valueOf is NaN when the value is unknown, as all are of a run without metrics.
func valueOf(m metric.Measure, of *metric.Metrics) float64 {
	if of != nil {
		if v, known := m.Value(*of); known {
			return v
		}
	}
	return math.NaN()
}

// unitText stands behind the value; it is empty for ratios.
func unitText(m metric.Measure) string {
	if m.Unit == metric.Hours {
		return m.Unit.Heading()
	}
	if symbol := m.Unit.Symbol(); symbol != "1" {
		return symbol
	}
	return ""
}

// definition makes the measure's definition a sentence.
func definition(m metric.Measure) string {
	first, size := utf8.DecodeRuneInString(m.Definition)
	text := string(unicode.ToUpper(first)) + m.Definition[size:] + "."
	if m.Std != nil {
		text += " Mean ± standard deviation over the jobs that started."
	}
	return text
}
