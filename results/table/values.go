package table

import (
	"math"

	"github.com/slurmlab/slurmlab/results/metric"
)

// value is the measure of a run in the unit of tables, NaN when it is unknown.
func value(m metric.Measure, of metric.Metrics) float64 {
	if v, known := m.Value(of); known {
		return m.Unit.InTable(v)
	}
	return math.NaN()
}

// secondValue is the standard deviation of a mean or the whole of a part, NaN when
// there is none.
func secondValue(m metric.Measure, of metric.Metrics) float64 {
	_, known := m.Value(of)
	switch {
	case !known:
		return math.NaN()
	case m.Of != nil:
		return m.Of(of)
	case m.Std != nil:
		return m.Unit.InTable(m.Std(of))
	default:
		return math.NaN()
	}
}

// secondName is the name in CSV of secondValue, empty for none.
func secondName(m metric.Measure) string {
	switch {
	case m.Of != nil:
		return m.OfColumn
	case m.Std != nil:
		return m.StdColumn()
	default:
		return ""
	}
}

// measureFields are the values of a measure of each thing.
func measureFields[T any](m metric.Measure, metrics func(T) metric.Metrics) []Field[T] {
	fields := []Field[T]{Number(m.Column, func(thing T) float64 { return value(m, metrics(thing)) })}
	if name := secondName(m); name != "" {
		fields = append(fields, Number(name, func(thing T) float64 { return secondValue(m, metrics(thing)) }))
	}
	return fields
}

// measureColumn is the column of a measure.
func measureColumn(m metric.Measure) Column {
	second := secondName(m)
	c := Column{
		Title: m.Heading(), Names: []string{m.Column},
		Show: func(r Row) string { return measureText(m, r.Number(m.Column), r.Number(second), m.Unit.Decimals()) },
	}
	if second != "" {
		c.Names = append(c.Names, second)
	}
	return c
}

// measureText is a value with its second one, if the measure has any, for people.
func measureText(m metric.Measure, value, second float64, decimals int) string {
	switch {
	case m.Of != nil:
		return outOf(value, second)
	case m.Std != nil:
		return meanStd(value, second, decimals)
	default:
		return Fixed(value, decimals)
	}
}
