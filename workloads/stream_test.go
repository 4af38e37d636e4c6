package workloads

import (
	"math"
	"testing"
)

// The first numbers of a stream are part of "same seed, same bytes": a change
// of math/rand/v2 or of the derivations must fail here.
func TestStreamIsPinned(t *testing.T) {
	s := newStream(1, jobStream)
	got := []int64{int64(s.below(1000)), int64(s.between(60, 600)), s.exponential(1_000_000), s.exponential(1_000_000)}
	want := []int64{440, 216, 863685, 285389}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

// Replicas are the seeds 1, 2, 3, ...: the first draw over neighbouring seeds
// must be as uniform as draws within one seed.
func TestNeighbouringSeedsAreIndependent(t *testing.T) {
	const seeds, bins = 4000, 10
	var counts [bins]float64
	for seed := range uint64(seeds) {
		counts[newStream(seed, jobStream).below(bins)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += (n - seeds/bins) * (n - seeds/bins) / (seeds / bins)
	}
	// The 0.1 % point of chi-squared with 9 degrees of freedom.
	if chi > 27.88 {
		t.Errorf("chi-squared %.1f of %v", chi, counts)
	}
}

func TestExponential(t *testing.T) {
	const n, mean = 20000, 30e9
	s := newStream(1, arrivalStream)
	var sum float64
	var aboveMean, aboveThree int
	for range n {
		x := float64(s.exponential(mean))
		sum += x
		if x > mean {
			aboveMean++
		}
		if x > 3*mean {
			aboveThree++
		}
	}
	// Four standard errors each.
	near := func(what string, got, want, sd float64) {
		if math.Abs(got-want) > 4*sd/math.Sqrt(n) {
			t.Errorf("%s: got %.4f, want %.4f", what, got, want)
		}
	}
	near("mean", sum/n/mean, 1, 1)
	for _, c := range []struct {
		count int
		p     float64
	}{{aboveMean, math.Exp(-1)}, {aboveThree, math.Exp(-3)}} {
		near("tail", float64(c.count)/n, c.p, math.Sqrt(c.p*(1-c.p)))
	}
}

// The standard normal law at its quintiles and beyond three deviations.
func TestNormal(t *testing.T) {
	const n, deviation = 20000, 5e9
	s := newStream(1, arrivalStream)
	var sum, squares, far float64
	counts, shares := map[string]float64{}, map[string]float64{"1": 0.2, "2": 0.2, "3": 0.2, "4": 0.2, "5": 0.2}
	for range n {
		x := float64(s.normal(deviation)) / deviation
		sum += x
		squares += x * x
		if math.Abs(x) > 3 {
			far++
		}
		switch {
		case x < -0.841621:
			counts["1"]++
		case x < -0.253347:
			counts["2"]++
		case x < 0.253347:
			counts["3"]++
		case x < 0.841621:
			counts["4"]++
		default:
			counts["5"]++
		}
	}
	// The 0.1 % point with 4 degrees of freedom, and four standard errors.
	if chi := chiSquared(counts, shares); chi > 18.47 {
		t.Errorf("chi-squared %.1f of %v", chi, counts)
	}
	if math.Abs(sum/n) > 4/math.Sqrt(n) || math.Abs(squares/n-1) > 4*math.Sqrt(2.0/n) || math.Abs(far-0.0027*n) > 4*math.Sqrt(0.0027*n) {
		t.Errorf("mean %.4f, variance %.4f, %v beyond three deviations", sum/n, squares/n, far)
	}
}
