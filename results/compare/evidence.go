package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Evidence is what the pairs of a comparison say about one metric, when all its metrics
// are counted.
type Evidence struct {
	// Interval is the 95 % interval of the mean difference b - a, nil for one pair and
	// for repetitions; Method is how it was found.
	Interval *Interval
	Method   Method
	// Relative is the difference divided by the mean of side a. Standing judges by its interval.
	Relative Relative
	// P is the probability of a mean difference at least as large by chance, Holm the same corrected for the metrics of
	// its family; NaN without an interval.
	P, Holm float64
	// Effect is Hedges' g of the differences: their mean in standard deviations, less the
	// bias of few pairs. It is NaN without a deviation.
	Effect float64
	// Family is what Holm counts.
	Family Family
	// Verdict says in words what is shown.
	Verdict string
	// Standing is that of side b by the metric's margin.
	Standing Standing
}

// Method is how a probability was found.
type Method string

// The methods, as they are in CSV. There is one test for all samples, Student's paired t (docs/design/043-verdicts.md).
const (
	NoMethod Method = ""
	Student  Method = "student"
	// Signs is the sign test, for differences that are all equal: t does not exist without a deviation, and its limit of 0
	// would make sure findings of two pairs.
	Signs Method = "signs"
)

// Evidence weighs each of the Differences, in their order.
func (c Comparison) Evidence() []Evidence { return c.weighAll(c.Differences) }

// weighAll weighs differences that stand in one table, and corrects for their number.
func (c Comparison) weighAll(differences []MetricDifference) []Evidence {
	all := make([]Evidence, len(differences))
	for i, d := range differences {
		all[i] = c.evidence(d)
	}
	for i, ruling := range tests(differences, all).Rulings() {
		d := differences[i]
		all[i].Family, all[i].Holm = FamilyOf(d.measure), ruling.Holm
		all[i].Verdict, all[i].Relative, all[i].Standing = cmp.Or(ruling.Words, c.plain(d)), c.relative(d), c.standing(d)
	}
	return all
}

// tests are those of differences by their evidence.
func tests(differences []MetricDifference, evidence []Evidence) Tests {
	t := Tests{By: StudentsPaired, Noun: "metric"}
	for i, d := range differences {
		part := math.Inf(1)
		if d.A != 0 {
			part = d.Mean / d.A
		}
		t.All = append(t.All, Test{Of: d.Words, Better: d.Better, Part: part, Family: FamilyOf(d.measure), P: evidence[i].P, Values: d.values()})
	}
	return t
}

// values are those of both sides.
func (d MetricDifference) values() []float64 {
	return append(slices.Clone(d.base), floats.AddTo(make([]float64, len(d.base)), d.base, d.pairs)...)
}

// StudentsPaired is the test of comparisons in pairs, in words.
const StudentsPaired = "Student's paired t"

// evidence of one metric alone.
func (c Comparison) evidence(d MetricDifference) Evidence {
	e := Evidence{P: math.NaN(), Holm: math.NaN(), Effect: math.NaN()}
	if d.Interval == nil || d.constant() {
		return e
	}
	e.Interval, e.Method, e.P = weigh(d.pairs)
	if s := newSample(d.pairs); e.Method != Signs {
		// Hedges 1981, with the approximation of his factor for n-1 degrees of freedom.
		e.Effect = s.Mean / s.Std * (1 - 3/(4*(float64(s.N)-1)-1))
	}
	return e
}

// weigh is the 95 % interval of the mean of at least two values by Student, how the probability was found, and the
// two-sided probability of a mean at least as far from zero by chance.
func weigh(values []float64) (*Interval, Method, float64) {
	_, interval := MeanInterval(values)
	if newSample(values).steady() {
		return interval, Signs, MeanP(values)
	}
	return interval, Student, MeanP(values)
}

// steady says that the values differ by no more than rounding.
func (s Sample) steady() bool { return s.Std <= rounding*math.Abs(s.Mean) }

// MeanP is the two-sided probability of a mean at least as far from zero by chance. It is by Student's t, so that it
// is below 0.05 where MeanInterval leaves zero out, or by the signs of values that do not differ. It is NaN for fewer
// than two values.
func MeanP(values []float64) float64 { return ScaledMeanP(values, 1) }

// ScaledMeanP is MeanP where the mean has so many times the standard error of the values.
func ScaledMeanP(values []float64, times float64) float64 {
	n := float64(len(values))
	if n < 2 {
		return math.NaN()
	}
	s := newSample(values)
	switch {
	case s.Mean == 0:
		return 1
	case s.steady():
		return math.Pow(2, 1-n)
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(s.Mean)/(times*s.Std/math.Sqrt(n)))
}

// Called counts the metrics that are called different at 5 %, the ones that stay so with Holm's correction, and all
// that could be.
func (c Comparison) Called() (plain, corrected, of int) {
	for _, e := range c.Evidence() {
		if math.IsNaN(e.P) {
			continue
		}
		of++
		if e.P < significance {
			plain++
		}
		if e.Holm < significance {
			corrected++
		}
	}
	return plain, corrected, of
}

// Finding says what the group shows when all its metrics are counted, by which rule, and what by the margins.
func (g Grouped) Finding() string {
	if _, _, of := g.Called(); of == 0 {
		return fmt.Sprintf("%s and %s on %s: %s", g.A, g.B, g.Name, g.Summary())
	}
	on := g.Name
	if g.Machine != "" {
		on += ", machine " + g.Machine
	}
	if g.Events != "" && g.Events != trace.NoEvents {
		on += ", events " + g.Events
	}
	return fmt.Sprintf("%s and %s on %s, over %s: %s%s", g.A, g.B, on, text.Plural(g.pairs(), string(g.Kind)), g.findings(), g.missing())
}

// findings names the metrics in which each side is better when all of a family are counted, counts the others, and says by
// which rule.
func (c Comparison) findings() string {
	evidence, equal := c.Evidence(), 0
	for _, d := range c.Differences {
		if d.constant() {
			equal++
		}
	}
	return tests(c.Differences, evidence).Sentence([]string{c.B, c.A}, equal) + c.standings(evidence)
}

// betterIn says of each side in which metrics it is better.
func (c Comparison) betterIn(metrics map[string][]string, how string) (parts []string) {
	for _, side := range []string{c.B, c.A} {
		if list := metrics[side]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s is better%s in %s", side, how, enumerate(list)))
		}
	}
	return parts
}

// others count the metrics in which no side is better.
func others(otherwise string, open, equal int) (parts []string) {
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%s in %s", otherwise, metrics(open)))
	}
	if equal > 0 {
		parts = append(parts, metrics(equal)+" without any difference")
	}
	return parts
}
