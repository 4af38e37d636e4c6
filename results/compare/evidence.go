package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Evidence is what the pairs of a comparison say about one metric, when all its metrics
// are counted.
type Evidence struct {
	// Interval is the 95 % interval of the mean difference b - a, nil for one pair and
	// for repetitions; Method is how it was found.
	Interval *Interval
	Method   Method
	// P is the probability of a mean difference at least as large by chance, Holm the
	// same corrected for all metrics of the comparison; NaN without an interval.
	P, Holm float64
	// Effect is Hedges' g of the differences: their mean in standard deviations, less the
	// bias of few pairs. It is NaN without a deviation.
	Effect float64
	// Verdict says in words what is shown.
	Verdict string
}

// Method is how an interval was found.
type Method string

// The methods, as they are in CSV.
const (
	NoMethod  Method = ""
	Student   Method = "student"
	Bootstrap Method = "bootstrap"
	// Signs is the sign test, for differences that are all equal.
	Signs Method = "signs"
)

const (
	// skewed is the sample skewness of the differences beyond which Student's interval
	// is replaced: there its two tails miss unequally. With fewer than enoughForSkew
	// pairs a skewness is mostly chance, and a resample has too few different values.
	skewed        = 1.0
	enoughForSkew = 8
	// resamples give the 2.5 % tail a standard error of 0.16 %.
	resamples = 10_000
)

// Evidence weighs each of the Differences, in their order.
func (c Comparison) Evidence() []Evidence {
	all := make([]Evidence, len(c.Differences))
	var known []int
	var p []float64
	for i, d := range c.Differences {
		all[i] = c.evidence(d)
		if !math.IsNaN(all[i].P) {
			known, p = append(known, i), append(p, all[i].P)
		}
	}
	for k, adjusted := range Holm(p) {
		all[known[k]].Holm = adjusted
	}
	for i, d := range c.Differences {
		all[i].Verdict = c.verdictOf(d, all[i])
	}
	return all
}

// evidence is that of one metric alone.
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

// weigh is the 95 % interval of the mean of at least two values, how it was found, and the
// two-sided probability of a mean at least as far from zero by chance.
func weigh(values []float64) (*Interval, Method, float64) {
	s := newSample(values)
	_, student := MeanInterval(values)
	if s.steady() {
		return student, Signs, MeanP(values)
	}
	if s.N >= enoughForSkew && math.Abs(stat.Skew(values, nil)) > skewed {
		interval, p := bootstrapT(values, s)
		return &interval, Bootstrap, p
	}
	return student, Student, MeanP(values)
}

// steady says that the values differ by no more than rounding.
func (s Sample) steady() bool { return s.Std <= rounding*math.Abs(s.Mean) }

// MeanP is the two-sided probability of a mean at least as far from zero by chance: by Student's t, so that it
// is below 0.05 where MeanInterval leaves zero out, or by the signs of values that do not differ. It is NaN for fewer than
// two values.
func MeanP(values []float64) float64 {
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
	return 2 * distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF(-math.Abs(s.Mean)/(s.Std/math.Sqrt(n)))
}

// bootstrapT is the interval of the mean by the bootstrap-t of Efron and Tibshirani ("An
// Introduction to the Bootstrap", section 12.5), which follows the skewness of the sample, and the
// two-sided probability that belongs to it. The same values give the same answer.
func bootstrapT(values []float64, s Sample) (Interval, float64) {
	// Their order must not matter.
	values = slices.Sorted(slices.Values(values))
	random := rand.New(rand.NewPCG(1, uint64(len(values))))
	root := math.Sqrt(float64(len(values)))
	drawn := make([]float64, len(values))
	var all []float64
	for range resamples {
		for i := range drawn {
			drawn[i] = values[random.IntN(len(values))]
		}
		mean, variance := stat.MeanVariance(drawn, nil)
		if variance > 0 {
			all = append(all, (mean-s.Mean)/(math.Sqrt(variance)/root))
		}
	}
	slices.Sort(all)
	tail := (1 - confidence) / 2
	low, high := stat.Quantile(tail, stat.Empirical, all, nil), stat.Quantile(1-tail, stat.Empirical, all, nil)
	unit := s.Std / root
	t := s.Mean / unit
	below := float64(1+countUpTo(all, t)) / float64(1+len(all))
	above := float64(1+len(all)-countUpTo(all, t)) / float64(1+len(all))
	return Interval{Low: s.Mean - high*unit, High: s.Mean - low*unit}, math.Min(1, 2*math.Min(below, above))
}

// countUpTo counts the sorted values that are at most x.
func countUpTo(sorted []float64, x float64) int {
	n, _ := slices.BinarySearchFunc(sorted, x, func(v, x float64) int {
		if v <= x {
			return -1
		}
		return 1
	})
	return n
}

// verdictOf says in words what is shown when all metrics are counted.
func (c Comparison) verdictOf(d MetricDifference, e Evidence) string {
	switch {
	case math.IsNaN(e.P):
		return c.verdict(d)
	case e.Holm < significance:
		return d.Better + "," + by(d)
	case e.P < significance:
		return d.Better + "," + by(d) + ", or chance"
	default:
		return notShown
	}
}

// by is how much larger or smaller the mean of b is than that of a.
func by(d MetricDifference) string {
	if d.A == 0 {
		return " from 0"
	}
	percent := 100 * math.Abs(d.Mean/d.A)
	if percent < 10 {
		return fmt.Sprintf(" by %.1f %%", percent)
	}
	return fmt.Sprintf(" by %.0f %%", percent)
}

// Called counts the metrics that are called different at 5 %, those of them that stay so
// with Holm's correction, and all that could be.
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

// alone says of how many metrics p is low and p by Holm is not, others than those named before.
func alone(n int, others bool) string {
	word, each := "metrics differ", "each is"
	if n == 1 {
		word, each = "metric differs", "it is"
	}
	if others {
		word = "other " + word
	}
	return fmt.Sprintf("%d %s only if %s judged alone, which may be chance", n, word, each)
}

// Finding says in a sentence what the group shows when all its metrics are counted.
func (g Grouped) Finding() string {
	plain, _, of := g.Called()
	if of == 0 {
		return fmt.Sprintf("%s and %s on %s: %s", g.A, g.B, g.Name, g.Summary())
	}
	better := map[string][]string{}
	maybe := plain
	for i, e := range g.Evidence() {
		if d := g.Differences[i]; e.Holm < significance {
			better[d.Better] = append(better[d.Better], d.Words+by(d))
			maybe--
		}
	}
	var parts []string
	for _, side := range []string{g.B, g.A} {
		if list := better[side]; len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s is better in %s", side, enumerate(list)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no difference is shown when all metrics are counted"}
	}
	if maybe > 0 {
		parts = append(parts, alone(maybe, plain > maybe))
	}
	return fmt.Sprintf("%s and %s on %s, machine %s, over %s: %s.", g.A, g.B, g.Name, g.Machine, text.Plural(g.pairs(), string(g.Kind)), strings.Join(parts, "; "))
}
