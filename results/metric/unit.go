package metric

import "strings"

// Unit is the unit of a measure: metrics.json is in seconds and fractions,
// tables are in the papers' hours and per cent.
type Unit int

// The units. Seconds are virtual, RealSeconds those of this computer; Hours are
// virtual seconds that tables show in hours, Percent fractions that people read
// in per cent.
const (
	Ratio Unit = iota
	Percent
	Hours
	Seconds
	RealSeconds
	Blocks
	Jobs
)

// Symbol is the unit in metrics.json, "1" for ratios and fractions.
func (u Unit) Symbol() string {
	return []string{"1", "1", "s", "s", "real s", "blocks", "jobs"}[u]
}

// Heading is the unit in the head of a table, empty where the name says it.
func (u Unit) Heading() string {
	return []string{"", "%", "h", "s", "s", "", ""}[u]
}

// Decimals is the number of digits that tables show behind the point.
func (u Unit) Decimals() int {
	return []int{2, 1, 2, 2, 3, 2, 0}[u]
}

// InTable turns a value of metrics.json into the value in a table.
func (u Unit) InTable(v float64) float64 {
	switch u {
	case Percent:
		return 100 * v
	case Hours:
		return v / 3600
	default:
		return v
	}
}

// Shown is how people read a row of values in the unit of tables.
type Shown struct {
	// Heading is the unit, empty where the name says it.
	Heading string
	// Scale is what the values are multiplied by.
	Scale    float64
	Decimals int
}

// Shown is how people read values of which this is the largest. Hours of less than one are minutes, and of less than a minute
// seconds: a wait of half a minute would be 0.01 h.
func (u Unit) Shown(largest float64) Shown {
	switch {
	case u != Hours || largest == 0 || largest >= 1:
		return Shown{u.Heading(), 1, u.Decimals()}
	case largest >= 1.0/60:
		return Shown{"min", 60, 1}
	}
	return Shown{"s", 3600, 1}
}

// Heading is the measure's name with its unit: "Waiting time h".
func (m Measure) Heading() string {
	return strings.TrimSpace(m.Name + " " + m.Unit.Heading())
}

// StdColumn is the name in CSV of the standard deviation: "waiting_std_h".
func (m Measure) StdColumn() string { return strings.Replace(m.Column, "_mean", "_std", 1) }
