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
// It is von Neumann's comparison method (Various Techniques Used in Connection
// With Random Digits, 1951), which needs no logarithm: a falling run of
// uniforms that starts with x has odd length with probability exp(-x). Each
// rejected run moves the result up by one mean.
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
