package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Relative is a difference of one metric, divided by the mean of side a.
type Relative struct {
	// Mean is mean(b) / mean(a) - 1.
	Mean float64
	// Interval is its 95 % interval by Fieller, nil where there is none: for one pair, for repetitions, and where the pairs
	// do not show that the mean of a differs from 0, unless nothing differs.
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
// run. Means are divided, not the values of each pair: values of a seed under which nothing waits have no ratio.
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

// RelativeOf is the relative difference of pairs, given by the values of side a and the differences b - a. Its interval
// has each x for which Student's paired t does not show at 5 % that the mean of (b - a) - x a differs from 0 (Fieller,
// "Some problems in interval estimation", Journal of the Royal Statistical Society B 16, 1954). It therefore holds 0
// exactly where the interval of the difference does.
func RelativeOf(base, differences []float64) Relative {
	mean, change := stat.Mean(base, nil), stat.Mean(differences, nil)
	switch {
	case mean == 0 && change == 0:
		// Nothing differs from nothing.
		return Relative{Interval: &Interval{}}
	case mean == 0:
		return Relative{Mean: math.Inf(1)}
	}
	r := Relative{Mean: change / mean}
	r.Interval = fieller(base, differences, mean, r.Mean)
	return r
}

// fieller is the interval of the ratio of mean differences to the mean of the base. The x of RelativeOf is ratio + y, where
// y solves (y mean)² = t² / n × variance(rest - y base), with rest = difference - ratio × base. The rests have a mean
// of 0, so that nothing cancels out.
func fieller(base, differences []float64, mean, ratio float64) *Interval {
	n := float64(len(base))
	if n < 2 {
		return nil
	}
	rest, largest := make([]float64, len(base)), 0.0
	for i := range rest {
		rest[i] = differences[i] - ratio*base[i]
		largest = max(largest, math.Abs(base[i]), math.Abs(differences[i]))
	}
	deviation := stat.StdDev(rest, nil)
	if deviation <= rounding*largest {
		// All pairs have the same ratio.
		return &Interval{Low: ratio, High: ratio}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1 + confidence) / 2)
	scale := t * t / n
	square := mean*mean - scale*stat.Variance(base, nil)
	if square <= 0 {
		return nil
	}
	middle := -scale * stat.Covariance(rest, base, nil)
	half := math.Sqrt(middle*middle + square*scale*deviation*deviation)
	return &Interval{Low: ratio + (middle-half)/square, High: ratio + (middle+half)/square}
}
