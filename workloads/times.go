package workloads

import (
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// Runtime is the distribution of job run times: uniform from Min to Max, both
// ends included, or that of Quantiles. Whole seconds.
type Runtime struct {
	Min Duration `json:"min" about:"the shortest run time; with 'max', run times are uniform"`
	Max Duration `json:"max" about:"the longest run time"`
	// Quantiles, if any, are equally spaced: the least run time, ..., the median
	// in the middle, ..., the largest; between two of them run times are uniform.
	// The first and the last are Min and Max. They describe any distribution,
	// measured ones too, without floating point.
	Quantiles []Duration `json:"quantiles,omitempty" about:"list of equally spaced quantiles, in the place of 'min' and 'max': '[10s, 60s, 5m, 30m, 4h]'" read:"first"`
}

// Settle implements input.Settler: the ends of quantiles are the shortest and the longest run time.
func (r *Runtime) Settle(m *input.Mapping) {
	n := len(r.Quantiles)
	if n > 0 && !m.Has("min") {
		r.Min = r.Quantiles[0]
	}
	if n > 0 && !m.Has("max") {
		r.Max = r.Quantiles[n-1]
	}
}

func (r Runtime) faults() []faults.Fault {
	if out := r.quantileFaults(); len(out) > 0 {
		return out
	}
	out := r.Min.Outside("runtime.min", time.Second, longest, time.Second)
	out = append(out, r.Max.Outside("runtime.max", max(r.Min.Duration, time.Second), longest, time.Second)...)
	if n := len(r.Quantiles); n > 0 && r.Min != r.Quantiles[0] {
		out = append(out, faults.At("runtime.min", faults.Got(r.Min), "the first of quantiles, or none"))
	} else if n > 0 && r.Max != r.Quantiles[n-1] {
		out = append(out, faults.At("runtime.max", faults.Got(r.Max), "the last of quantiles, or none"))
	}
	return out
}

func (r Runtime) quantileFaults() []faults.Fault {
	if n := len(r.Quantiles); n == 1 || n > maxQuantiles {
		return []faults.Fault{faults.At("runtime.quantiles", faults.Got(n)+" durations", faults.Between(2, maxQuantiles))}
	}
	var out []faults.Fault
	lowest := time.Second
	for i, q := range r.Quantiles {
		out = append(out, q.Outside(fmt.Sprintf("runtime.quantiles[%d]", i), lowest, longest, time.Second)...)
		lowest = max(lowest, q.Duration)
	}
	return out
}

// seconds returns both ends in seconds.
func (r Runtime) seconds() (shortest, longest int) {
	return int(r.Min.Seconds()), int(r.Max.Seconds())
}

// draw returns a run time in seconds.
func (r Runtime) draw(from stream) int {
	if len(r.Quantiles) == 0 {
		return from.between(r.seconds())
	}
	return int(from.quantile(len(r.Quantiles), func(i int) int64 { return int64(r.Quantiles[i].Seconds()) }))
}

// maxQuantiles bounds the lists that describe a distribution.
const maxQuantiles = 1001

// Limit derives a job's time limit from its run time: factor*runtime + add,
// rounded up to whole minutes, Slurm's unit.
type Limit struct {
	// Factor is the ratio of over-estimation, 0 with Factors.
	Factor float64 `json:"factor,omitempty" about:"1.5 without it"`
	// Factors, if any, are equally spaced quantiles of the ratio, like the quantiles of Runtime. [1, f+1] is uniform,
	// the f-model of Mu'alem and Feitelson (Utilization, Predictability, Workloads and User Runtime Estimates, 2001).
	Factors []float64 `json:"factors,omitempty" about:"list of equally spaced quantiles of the factor, in its place: '[1, 1.2, 2, 4, 10]'" read:"first"`
	Add     Duration  `json:"add" about:"2m without it"`
}

// defaultLimit leaves room for what an emulated job needs on top of its run time. The two minutes are for a start
// that is late by some seconds of real time under a fast clock. The factor makes limits as loose as users' are, so
// that backfill does not plan with perfect knowledge.
func defaultLimit() Limit {
	return Limit{Factor: 1.5, Add: Duration{2 * time.Minute}}
}

// DefaultLimit is the time limit in seconds of a job that was given none, by
// the default limit model of a Spec.
func DefaultLimit(runtime int) int {
	l := defaultLimit()
	return l.seconds(ppm(l.Factor), runtime)
}

// Settle implements input.Settler: quantiles take the place of the factor.
func (l *Limit) Settle(m *input.Mapping) {
	if len(l.Factors) > 0 && !m.Has("factor") {
		l.Factor = 0
	}
}

func (l Limit) faults() []faults.Fault {
	const wanted = "1..10, with at most 6 decimals"
	bad := func(factor float64, lowest float64) bool {
		return !(factor >= lowest && factor <= 10) || float64(ppm(factor))/million != factor
	}
	var out []faults.Fault
	switch n := len(l.Factors); {
	case n == 0 && bad(l.Factor, 1):
		out = append(out, faults.At("limit.factor", faults.Got(l.Factor), wanted))
	case n > 0 && l.Factor != 0:
		out = append(out, faults.At("limit.factor", faults.Got(l.Factor), "none beside factors"))
	case n == 1 || n > maxQuantiles:
		out = append(out, faults.At("limit.factors", faults.Got(n)+" numbers", faults.Between(2, maxQuantiles)))
	}
	for i, lowest := 0, 1.0; i < len(l.Factors); i++ {
		if bad(l.Factors[i], lowest) {
			out = append(out, faults.At(fmt.Sprintf("limit.factors[%d]", i), faults.Got(l.Factors[i]), wanted+", none below the one before"))
		}
		lowest = max(lowest, l.Factors[i])
	}
	return append(out, l.Add.Outside("limit.add", 0, 24*time.Hour, time.Second)...)
}

// draw returns the limit of a job in seconds.
func (l Limit) draw(from stream, runtime int) int {
	factor := ppm(l.Factor)
	if n := len(l.Factors); n > 0 {
		factor = from.quantile(n, func(i int) int64 { return ppm(l.Factors[i]) })
	}
	return l.seconds(factor, runtime)
}

// seconds is the limit of a job whose ratio is factor millionths.
func (l Limit) seconds(factor int64, runtime int) int {
	const minute = 60 * million
	micro := factor*int64(runtime) + int64(l.Add.Seconds())*million
	return int((micro+minute-1)/minute) * 60
}
