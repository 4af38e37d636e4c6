package metric

import "slices"

// Subject is what a measure tells about.
type Subject int

const (
	// OfPolicy measures are what a policy can be good or bad at.
	OfPolicy Subject = iota
	// OfWorkload measures are the same under every policy.
	OfWorkload
	// OfEmulation measures say how truly and how fast the run was kept.
	OfEmulation
)

// Direction says which way a measure gets better.
type Direction int

const (
	// Neither is the direction of a measure that does not say which policy is better.
	Neither Direction = iota
	// Lower is better.
	Lower
	// Higher is better.
	Higher
)

// String is the word for people, empty for Neither.
func (d Direction) String() string { return []string{"", "lower", "higher"}[d] }

// Measure is one metric: what it is called everywhere, how it is defined, and
// where it is in Metrics. Tables, comparisons, reports and docs/metrics.md are
// made from Measures alone.
type Measure struct {
	// Key is its path in metrics.json: "waiting_s.mean". Of a mean with a
	// deviation, "waiting_s" stands for both.
	Key string
	// Column is the name in CSV. A mean with a deviation has two columns, this
	// one and StdColumn.
	Column string
	// Name is what people read in tables, reports, pictures and pages. Papers is what the papers call it, empty where
	// that is the same or they do not have it.
	Name, Papers string
	// Brief says what it is in at most 34 characters, for a column of a table.
	Brief string
	Unit  Unit
	// Definition is a sentence or formula, Source the publication it is from;
	// "ours" for none.
	Definition, Source string
	Better             Direction
	Subject            Subject
	// GPU measures mean nothing on a machine without GPUs.
	GPU bool
	// Value is in the unit of metrics.json; false means unknown.
	Value func(Metrics) (float64, bool)
	// Std is the standard deviation over jobs, 0 where Value is unknown. It is nil
	// for a measure that is no mean.
	Std func(Metrics) float64
	// Of is the whole that Value is a part of, as in "229 of 230 jobs", where Value
	// is known. It is nil for other measures. In CSV the whole is in OfColumn.
	Of       func(Metrics) float64
	OfColumn string
}

// FindMeasure returns the measure with the key, which must be one of Measures.
func FindMeasure(key string) Measure {
	all := Measures()
	return all[slices.IndexFunc(all, func(m Measure) bool { return m.Key == key })]
}

// Measures lists every metric in the order of the papers' tables (AUCSCHED
// tables 5 to 8, AUCSCHED2 table 3), then those of other origin.
func Measures() []Measure {
	return slices.Concat(workloadMeasures(), scheduleMeasures(), jobMeasures(), spreadMeasures(), gpuMeasures(), cycleMeasures(), emulationMeasures())
}
