package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// significance is the probability of calling any metric of a comparison
// distinguishable although none is.
const significance = 0.05

// Sample is the mean and the sample standard deviation (divided by n-1) of one
// metric over the runs of a set.
type Sample struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// newSample describes at least two values. They are sorted and counted from the smallest. So equal sets give equal
// samples whatever their order, and equal values a deviation of exactly 0: a rounding error in its place would be
// divided by.
func newSample(values []float64) Sample {
	sorted := slices.Sorted(slices.Values(values))
	smallest := sorted[0]
	for i := range sorted {
		sorted[i] -= smallest
	}
	mean, variance := stat.MeanVariance(sorted, nil)
	return Sample{N: len(values), Mean: smallest + mean, Std: math.Sqrt(variance)}
}

// CV is the coefficient of variation, the standard deviation as a fraction of
// the mean; false when the mean is 0 and the deviation is not.
func (s Sample) CV() (float64, bool) {
	if s.Std == 0 {
		return 0, true
	}
	return s.Std / math.Abs(s.Mean), s.Mean != 0
}

// welch compares the means of two samples whose variances may differ: the interval of b - a and the two-sided
// probability of a difference at least as large by chance. See Welch, "The generalisation of Student's problem when
// several different population variances are involved", Biometrika 34, 1947; the degrees of freedom are
// Satterthwaite's. Samples without any deviation differ surely or not at all.
func welch(a, b Sample) (interval Interval, p float64) {
	difference := b.Mean - a.Mean
	varianceA, varianceB := a.Std*a.Std/float64(a.N), b.Std*b.Std/float64(b.N)
	standardError := math.Sqrt(varianceA + varianceB)
	if standardError == 0 {
		if difference == 0 {
			p = 1
		}
		return Interval{difference, difference}, p
	}
	share := varianceA / (varianceA + varianceB)
	freedom := 1 / (share*share/float64(a.N-1) + (1-share)*(1-share)/float64(b.N-1))
	student := distuv.StudentsT{Sigma: 1, Nu: freedom}
	half := student.Quantile((1+confidence)/2) * standardError
	return Interval{difference - half, difference + half}, min(1, 2*student.CDF(-math.Abs(difference)/standardError))
}

// Holm adjusts probabilities for the number of tests. Then the chance of any false finding among all of them stays
// below the level they are compared with (Holm, "A simple sequentially rejective multiple test procedure",
// Scandinavian Journal of Statistics 6, 1979). It holds for tests that depend on each other, as metrics of the same
// runs do.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(p[i], p[k]) })
	adjusted := make([]float64, len(p))
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = largest
	}
	return adjusted
}

// holmOnce is Holm where tests with the same values are one test, which is counted once. The values of such metrics are
// equal by their definition, as the utilisations of all GPUs and of the only GPU type are.
func holmOnce(p []float64, values [][]float64) []float64 {
	of, once := make([]int, len(p)), []float64(nil)
	var firsts [][]float64
	for i := range p {
		if of[i] = slices.IndexFunc(firsts, func(first []float64) bool { return sameValues(first, values[i]) }); of[i] < 0 {
			of[i], firsts, once = len(once), append(firsts, values[i]), append(once, p[i])
		}
	}
	adjusted, all := Holm(once), make([]float64, len(p))
	for i, k := range of {
		all[i] = adjusted[k]
	}
	return all
}

// distinct counts the lists that do not repeat another.
func distinct(values [][]float64) (n int) {
	for i, list := range values {
		if !slices.ContainsFunc(values[:i], func(other []float64) bool { return sameValues(other, list) }) {
			n++
		}
	}
	return n
}

// sameValues says that known values are equal but for rounding.
func sameValues(a, b []float64) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= rounding*max(math.Abs(x), math.Abs(y)) })
}
