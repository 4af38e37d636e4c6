package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Relative is a difference of one metric as a part of the mean of side a.
type Relative struct {
	// Mean is mean(b) / mean(a) - 1.
	Mean float64
	// Interval is its 95 % interval, nil where there is none: for one pair, for repetitions,
	// and where the mean of a is 0 and that of b is not.
	Interval *Interval
}

// Half is half of the interval's width, +Inf without one.
func (r Relative) Half() float64 {
	if r.Interval == nil {
		return math.Inf(1)
	}
	return (r.Interval.High - r.Interval.Low) / 2
}

// Relative is the relative difference of a metric by its name in CSV; it is false where the metric is
// unknown in some run. Means are divided, not the values of each pair: those of a
// seed under which nothing waits have no ratio. The interval is that of the ratio of two means over
// the same sample (Cochran, "Sampling Techniques", 3rd edition, section 6.4): of the mean of
// (b - ratio x a) / mean(a), by Student or, for skewed values, by the bootstrap.
func (c Comparison) Relative(column string) (Relative, bool) {
	for _, d := range c.Differences {
		if d.Name == column {
			return c.relative(d), true
		}
	}
	return Relative{}, false
}

func (c Comparison) relative(d MetricDifference) Relative {
	base, change := stat.Mean(d.base, nil), stat.Mean(d.pairs, nil)
	var r Relative
	switch {
	case base == 0 && change == 0:
		// Nothing differs from nothing.
	case base == 0:
		return Relative{Mean: math.Inf(1)}
	default:
		r.Mean = change / base
	}
	if d.Interval == nil {
		return r
	}
	if base == 0 {
		r.Interval = &Interval{}
		return r
	}
	values := make([]float64, len(d.pairs))
	for i := range values {
		values[i] = (d.pairs[i]-r.Mean*d.base[i])/base + r.Mean
	}
	r.Interval, _, _ = weigh(values)
	return r
}
