package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// power is the probability of showing a difference that is really there.
const power = 0.8

// mostNeeded is the largest number of replicas that needed counts to.
const mostNeeded = 1000

// enoughSigns is the least number n of differences, all of the same sign, that chance
// alone gives in at most 5 % of all cases: 2 / 2^n (sign test, two-sided). Differences
// that are all equal, as those of counts may be, have no deviation, so that the interval
// of even two of them is a point and excludes zero. Then their signs alone count.
const enoughSigns = 6

// rounding is the largest deviation, as a part of the mean, that is due to the last
// digits of equal differences.
const rounding = 1e-9

// needed is the number of replicas with which the interval would exclude zero with a probability of 80 %. It takes
// the observed mean of the differences and their standard deviation s for the true ones. It is the least n of at
// least 2 with
//
//	n >= (t(0.975, n-1) + t(0.8, n-1))² × s² / mean²
//
// where t(p, v) is the quantile of Student's distribution with v degrees of freedom (Zar, "Biostatistical Analysis",
// sample size for a one-sample or paired t test). The right side falls with n, so n counts up from the answer for the
// normal distribution, which is too small. needed is false for a mean of 0 and for more than mostNeeded replicas.
func needed(mean, s float64) (n int, ok bool) {
	if mean == 0 {
		return 0, false
	}
	ratio := s * s / (mean * mean)
	normal := distuv.UnitNormal.Quantile((1+confidence)/2) + distuv.UnitNormal.Quantile(power)
	start := normal * normal * ratio
	if start > mostNeeded {
		return 0, false
	}
	for n = max(2, int(math.Ceil(start))); n <= mostNeeded; n++ {
		student := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
		sum := student.Quantile((1+confidence)/2) + student.Quantile(power)
		if float64(n) >= sum*sum*ratio {
			return n, true
		}
	}
	return 0, false
}
