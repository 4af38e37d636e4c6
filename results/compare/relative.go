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

// Relative is the relative difference of a metric by its name in CSV; it is false where the metric is unknown in some
// run. Means are divided, not the values of each pair: values of a seed under which nothing waits have no ratio. The
// interval is for the ratio of two means over the same sample (Cochran, "Sampling Techniques", 3rd edition, section
// 6.4). It is Student's interval of the mean of (b - ratio x a) / mean(a).
func (c Comparison) Relative(column string) (Relative, bool) {
	for _, d := range c.Differences {
		if d.Name == column {
			return c.relative(d), true
		}
	}
	return Relative{}, false
}

func (c Comparison) relative(d MetricDifference) Relative {
	r := RelativeOf(d.base, d.pairs)
	if d.Interval == nil {
		r.Interval = nil
	}
	return r
}

// RelativeOf is the relative difference of pairs, given by the values of side a and the differences b - a.
func RelativeOf(base, differences []float64) Relative {
	mean, change := stat.Mean(base, nil), stat.Mean(differences, nil)
	var r Relative
	switch {
	case mean == 0 && change == 0:
		// Nothing differs from nothing.
		r.Interval = &Interval{}
	case mean == 0:
		r.Mean = math.Inf(1)
	default:
		r.Mean = change / mean
		values := make([]float64, len(differences))
		for i := range values {
			values[i] = (differences[i]-r.Mean*base[i])/mean + r.Mean
		}
		_, r.Interval = MeanInterval(values)
	}
	return r
}
