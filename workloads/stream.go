package workloads

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// The streams of a seed. They are PCG's second seed word and part of the
// contract "same seed, same bytes": a change is a new generator.
const (
	// jobStream draws, for each job in turn: type, run time, entry of the type's
	// list (also of a list of one), size, contiguous.
	jobStream uint64 = 1
	// arrivalStream draws the gaps, so that an arrival process does not change
	// the jobs.
	arrivalStream uint64 = 2
	// limitStream draws the factor of a job's limit, if it is a distribution.
	limitStream uint64 = 3
	// sizeStream draws the changes of ESP's job sizes.
	sizeStream uint64 = 4
)

// stream derives random numbers from PCG-DXSM, whose output math/rand/v2
// specifies. The derivations are ours because those of rand.Rand may change
// between Go versions.
type stream struct{ source *rand.PCG }

func newStream(seed, number uint64) stream {
	return stream{source: rand.NewPCG(seed, number)}
}

// below returns a uniform number in 0..n-1, without bias: draws in the
// incomplete last run of n numbers are thrown away.
func (s stream) below(n uint64) uint64 {
	limit := math.MaxUint64 - math.MaxUint64%n
	for {
		if v := s.source.Uint64(); v < limit {
			return v % n
		}
	}
}

// between returns a uniform number in low..high.
func (s stream) between(low, high int) int {
	return low + int(s.below(uint64(high-low+1)))
}

// exponential returns an exponential variate of the given mean, rounded down.
//
// It is von Neumann's comparison method (Various Techniques Used in Connection With Random Digits, 1951), which needs
// no logarithm. A falling run of uniforms that starts with x has odd length with probability exp(-x). Each rejected
// run moves the result up by one mean.
func (s stream) exponential(mean int64) int64 {
	for whole := int64(0); ; whole++ {
		first := s.source.Uint64()
		odd := true
		for last := first; ; odd = !odd {
			next := s.source.Uint64()
			if next >= last {
				break
			}
			last = next
		}
		if odd {
			part, _ := bits.Mul64(first, uint64(mean))
			return whole*mean + int64(part)
		}
	}
}

// quantile returns a number between the equally spaced quantiles at(0), ...,
// at(n-1), which do not fall; n is at least 2. Both ends are possible.
func (s stream) quantile(n int, at func(int) int64) int64 {
	position := int64(s.below(uint64(n-1)*million + 1))
	i, part := int(position/million), position%million
	if part == 0 {
		return at(i)
	}
	return at(i) + ((at(i+1)-at(i))*part+million/2)/million
}

// normal returns a normal variate of mean 0 and the given deviation, rounded
// toward 0.
//
// It is von Neumann's rejection from the exponential, which needs no floating
// point: for exponential x and y, x has the half-normal law given that
// y >= (x-1)^2/2.
func (s stream) normal(deviation int64) int64 {
	const one = 1 << 24
	for {
		x, y := s.exponential(one), s.exponential(one)
		if (x-one)*(x-one) > 2*one*y {
			continue
		}
		high, low := bits.Mul64(uint64(x), uint64(deviation))
		size := int64(high<<40 | low>>24)
		if s.below(2) == 0 {
			return -size
		}
		return size
	}
}
