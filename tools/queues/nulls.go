package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/results/compare"
)

// significance is the level of the verdicts of package compare.
const significance = 0.05

// null is a distribution of differences with a mean of 0: a policy against itself.
type null struct {
	name string
	draw func(*rand.Rand) float64
	// deviation is the standard deviation of draw.
	deviation float64
}

// nulls are the distributions of the record 043-verdicts. Differences of two like policies are symmetric. The last
// one is not: its mean is 0, and every test of the mean that knows the deviation alone is wrong there.
func nulls() []null {
	const sigma = 1.5
	lognormal := func(r *rand.Rand) float64 { return math.Exp(sigma*r.NormFloat64()) - math.Exp(sigma*r.NormFloat64()) }
	moment := func(s float64) float64 { return math.Exp(s*s) * (math.Exp(s*s) - 1) }
	return []null{
		{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }, 1},
		{"difference of log-normals", lognormal, math.Sqrt(2 * moment(sigma))},
		{"80 % exact zeros", func(r *rand.Rand) float64 {
			if r.Float64() < 0.8 {
				return 0
			}
			return r.NormFloat64()
		}, math.Sqrt(0.2)},
		{"80 % zeros, else log-normals", func(r *rand.Rand) float64 {
			if r.Float64() < 0.8 {
				return 0
			}
			return lognormal(r)
		}, math.Sqrt(0.2 * 2 * moment(sigma))},
		{"one-sided log-normal less its mean", func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) - math.Exp(0.5) }, math.Sqrt(moment(1))},
	}
}

const (
	// mostExact is the largest sample whose signs are all tried: 4096 ways.
	mostExact = 12
	// flips are the ways that are drawn for larger samples.
	flips = 999
)

// signFlip is the two-sided probability of a sum at least as far from zero where each value has either sign with the same
// probability (Fisher, "The Design of Experiments", 1935, section 21).
func signFlip(values []float64, random *rand.Rand) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	bound := math.Abs(total) * (1 - 1e-12)
	reached := func(signs uint64) bool {
		sum := 0.0
		for i, v := range values {
			// A branch on a random bit would take most of the time.
			sum += math.Float64frombits(math.Float64bits(v) ^ signs>>i<<63)
		}
		return math.Abs(sum) >= bound
	}
	count := 0
	if n := len(values); n <= mostExact {
		for signs := range uint64(1) << n {
			if reached(signs) {
				count++
			}
		}
		return float64(count) / float64(uint64(1)<<n)
	}
	for range flips {
		if reached(random.Uint64()) {
			count++
		}
	}
	return float64(1+count) / (1 + flips)
}

// rate counts how often a test calls the first metric different, by itself and after Holm's correction, and any of the
// metrics after the correction.
type rate struct{ alone, corrected, any int }

func (r *rate) count(p []float64) {
	adjusted := compare.Holm(p)
	r.alone += below(p[:1])
	r.corrected += below(adjusted[:1])
	r.any += min(1, below(adjusted))
}

// nullRow is what both tests say of samples of one size.
type nullRow struct{ student, flip rate }

// nullMetrics is how many metrics a comparison of the record counts: as many as main metrics differ between two policies on a
// machine with GPUs. TestNullsHaveAFamily counts them.
const nullMetrics = 12

// drawNulls makes comparisons of so many pairs: each metric is a sample of the null, the first moved by a shift.
func drawNulls(of null, n, draws int, shift float64) nullRow {
	random := rand.New(rand.NewPCG(43, uint64(n)))
	var row nullRow
	student, flip := make([]float64, nullMetrics), make([]float64, nullMetrics)
	values := make([]float64, n)
	for range draws {
		for m := range student {
			for i := range values {
				values[i] = of.draw(random)
				if m == 0 {
					values[i] += shift
				}
			}
			student[m], flip[m] = compare.MeanP(values), signFlip(values, random)
		}
		row.student.count(student)
		row.flip.count(flip)
	}
	return row
}

// nullSizes are the numbers of pairs of the record.
func nullSizes() []int { return []int{3, 5, 7, 10, 20, 31, 50} }

// nullLine is a line of nulls.csv.
func nullLine(of null, n, draws int) []string {
	same, moved := drawNulls(of, n, draws, 0), drawNulls(of, n, draws, of.deviation)
	percent := func(count int) string { return fmt.Sprintf("%.1f", 100*float64(count)/float64(draws)) }
	return []string{
		of.name, fmt.Sprint(n), fmt.Sprint(draws), percent(same.student.alone), percent(same.flip.alone), percent(same.student.any), percent(same.flip.any),
		percent(moved.student.alone), percent(moved.flip.alone), percent(moved.student.corrected), percent(moved.flip.corrected),
	}
}

func nullHeader() []string {
	return []string{
		"null", "pairs", "draws", "student", "sign-flip", "student any by Holm", "sign-flip any by Holm",
		"student power", "sign-flip power", "student power by Holm", "sign-flip power by Holm",
	}
}

// sequentialLine is a line of sequential.csv: campaigns of two like policies that add seeds by the rule of --precision, and
// are judged when they stop. Waiting differs from seed to seed by a factor (log-normal, sigma 0.5), and the difference
// has a tenth of its mean as deviation.
func sequentialLine(of null, percent float64, draws int) []string {
	random := rand.New(rand.NewPCG(44, uint64(percent)))
	aim := campaign.Until{Percent: percent, Most: campaign.UsualMost()}
	var student, flip, seeds int
	for range draws {
		var base, differences []float64
		for there := 1; ; {
			there = aim.Look(2, there)
			for len(base) < there {
				base = append(base, math.Exp(0.5*random.NormFloat64()-0.125))
				differences = append(differences, 0.1*of.draw(random)/of.deviation)
			}
			if 100*compare.RelativeOf(base, differences).Half() <= percent || there >= aim.Most {
				break
			}
			there++
		}
		seeds += len(base)
		if compare.MeanP(differences) < significance {
			student++
		}
		if signFlip(differences, random) < significance {
			flip++
		}
	}
	of100 := func(count int) string { return fmt.Sprintf("%.1f", 100*float64(count)/float64(draws)) }
	return []string{of.name, fmt.Sprintf("%g", percent), fmt.Sprint(draws), fmt.Sprintf("%.0f", float64(seeds)/float64(draws)), of100(student), of100(flip)}
}

func sequentialHeader() []string {
	return []string{"null", "precision %", "draws", "mean seeds", "student", "sign-flip"}
}

// precisions are the aims of sequential campaigns, in per cent.
func precisions() []float64 { return []float64{2, 4, 5, 8} }

// nullDraws are the draws of a line.
const nullDraws = 1000

// nulls writes the files of the record 043-verdicts into a directory: how often each test calls a policy different from
// itself, in per cent of the draws.
func (b benchmark) nulls(dir string) error {
	single, sequential := [][]string{nullHeader()}, [][]string{sequentialHeader()}
	for _, of := range nulls() {
		for _, n := range nullSizes() {
			single = append(single, nullLine(of, n, nullDraws))
		}
		for _, percent := range precisions() {
			sequential = append(sequential, sequentialLine(of, percent, nullDraws))
		}
	}
	margins := [][]string{marginHeader()}
	for _, n := range marginSizes() {
		margins = append(margins, marginLines(n)...)
	}
	same, err := sameLines(b.results, b.runs)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "nulls.csv"), csvText(single), 0o644),
		os.WriteFile(filepath.Join(dir, "sequential.csv"), csvText(sequential), 0o644),
		os.WriteFile(filepath.Join(dir, "margins.csv"), csvText(margins), 0o644),
		os.WriteFile(filepath.Join(dir, "same.csv"), csvText(same), 0o644),
	)
}

// csvText is a table as CSV.
func csvText(rows [][]string) []byte {
	var text bytes.Buffer
	// A buffer takes everything.
	_ = csv.NewWriter(&text).WriteAll(rows)
	return text.Bytes()
}
