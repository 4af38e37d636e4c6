package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
)

// tolerated is the margin of waiting: a policy at it is worse by as much as is not tolerated.
const tolerated = 0.05

// waits are distributions of the mean wait of a seed under the first policy, each with a mean of 1.
type waitsOfBase struct {
	name string
	draw func(*rand.Rand) float64
}

func baseWaits() []waitsOfBase {
	lognormal := func(r *rand.Rand, sigma float64) float64 { return math.Exp(sigma*r.NormFloat64() - sigma*sigma/2) }
	return []waitsOfBase{
		{"normal", func(r *rand.Rand) float64 { return 1 + 0.25*r.NormFloat64() }},
		{"log-normal", func(r *rand.Rand) float64 { return lognormal(r, 1) }},
		{"half zeros", func(r *rand.Rand) float64 {
			if r.Float64() < 0.5 {
				return 0
			}
			return 2 * lognormal(r, 0.5)
		}},
	}
}

// A shift says how the second policy is worse by the margin: each wait by its part, or each by the same time.
const (
	byPart = "part"
	byTime = "time"
)

// marginSample draws pairs whose means differ by the part worse: the waits of the first policy and the differences, which
// vary by a null with a tenth of the mean wait as deviation.
func marginSample(random *rand.Rand, base waitsOfBase, of null, shift string, worse float64, n int) (first, differences []float64) {
	for range n {
		wait := base.draw(random)
		difference := worse
		if shift == byPart {
			difference *= wait
		}
		first, differences = append(first, wait), append(differences, difference+0.1*of.draw(random)/of.deviation)
	}
	return first, differences
}

// meanTaken is the interval that takes the mean of the first policy for exact.
func meanTaken(base, differences []float64) *compare.Interval {
	_, interval := compare.MeanInterval(differences)
	mean := stat.Mean(base, nil)
	return &compare.Interval{Low: interval.Low / mean, High: interval.High / mean}
}

// linearised is the interval for a ratio of two means over one sample (Cochran, "Sampling Techniques", 3rd edition, section
// 6.4).
func linearised(base, differences []float64) *compare.Interval {
	mean := stat.Mean(base, nil)
	ratio := stat.Mean(differences, nil) / mean
	values := make([]float64, len(base))
	for i := range values {
		values[i] = ratio + (differences[i]-ratio*base[i])/mean
	}
	_, interval := compare.MeanInterval(values)
	return interval
}

// notWorse counts by each interval how often a policy that is worse by the part is called not worse.
func notWorse(base waitsOfBase, of null, shift string, worse float64, n, draws int) (fieller, linear, taken int) {
	random := rand.New(rand.NewPCG(45, uint64(n)))
	for range draws {
		first, differences := marginSample(random, base, of, shift, worse, n)
		if stat.Mean(first, nil) == 0 {
			continue
		}
		called := func(interval *compare.Interval) int {
			if interval == nil {
				// As for verdicts without an interval, the difference itself has a margin of 0.
				_, absolute := compare.MeanInterval(differences)
				return oneIf(compare.StandingOf(metric.Lower, *absolute, 0, n) == compare.NotWorse)
			}
			return oneIf(compare.StandingOf(metric.Lower, *interval, tolerated, n) == compare.NotWorse)
		}
		fieller += called(compare.RelativeOf(first, differences).Interval)
		linear += called(linearised(first, differences))
		taken += called(meanTaken(first, differences))
	}
	return fieller, linear, taken
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// marginSizes are the numbers of pairs of the record.
func marginSizes() []int { return []int{3, 5, 7, 10, 20} }

// marginLine is a line of margins.csv: the errors at the margin, and by the interval of the verdicts how often policies of the
// same mean are called not worse.
func marginLine(base waitsOfBase, of null, shift string, n, draws int) []string {
	percent := func(count int) string { return fmt.Sprintf("%.1f", 100*float64(count)/float64(draws)) }
	fieller, linear, taken := notWorse(base, of, shift, tolerated, n, draws)
	power, _, _ := notWorse(base, of, shift, 0, n, draws)
	return []string{base.name, of.name, shift, fmt.Sprint(n), fmt.Sprint(draws), percent(fieller), percent(linear), percent(taken), percent(power)}
}

func marginHeader() []string {
	return []string{"waits", "null", "shift", "pairs", "draws", "fieller", "linearised", "mean taken for exact", "fieller for equal means"}
}

// marginLines are all lines of so many pairs.
func marginLines(n int) (lines [][]string) {
	for _, base := range baseWaits() {
		for _, of := range nulls() {
			for _, shift := range []string{byPart, byTime} {
				lines = append(lines, marginLine(base, of, shift, n, marginDraws))
			}
		}
	}
	return lines
}

// marginDraws are the draws of a line: an error of 2.5 % is then known to 0.35 %.
const marginDraws = 2000
