package main

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
)

// verdicts is the folder with the measured rates of the tests.
const verdicts = "../../docs/records/043-verdicts/"

// Fisher ("The Design of Experiments", 1935, section 21) gives the distribution of sums over all signs of Darwin's 15
// differences of maize: 863 of 32768 sums are as small as the observed one or smaller, 26.34 of 1000 times two sides 5.267 %.
func TestSignFlip(t *testing.T) {
	maize := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	random := rand.New(rand.NewPCG(1, 2))
	// 999 drawn ways have a standard error of 0.7 %.
	if p := signFlip(maize, random); math.Abs(p-0.05267) > 0.021 {
		t.Errorf("got %g, want 0.05267", p)
	}
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{1, 2, 3}, 0.25}, {[]float64{0, 0}, 1}, {[]float64{1, -1}, 1}, {[]float64{1, 2, -1}, 0.75}} {
		if p := signFlip(c.values, random); p != c.want {
			t.Errorf("%v: got %g, want %g", c.values, p, c.want)
		}
	}
}

// The record 043-verdicts has what this program measures: lines of small samples and of split seeds are made again, and the
// others stand beside them.
func TestRecordedNulls(t *testing.T) {
	single, sequential := readRecord(t, "nulls.csv"), readRecord(t, "sequential.csv")
	if want := 1 + len(nulls())*len(nullSizes()); len(single) != want || len(sequential) != 1+len(nulls())*len(precisions()) {
		t.Fatalf("%d and %d lines, want %d and %d", len(single), len(sequential), want, 1+len(nulls())*len(precisions()))
	}
	has := func(rows [][]string, line []string) {
		t.Helper()
		if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Equal(row, line) }) {
			t.Errorf("no line %q: go run ./tools/queues nulls writes the record again", line)
		}
	}
	for _, of := range nulls() {
		has(single, nullLine(of, 3, nullDraws))
		has(sequential, sequentialLine(of, 8, nullDraws))
	}
	has(single, nullHeader())
	has(sequential, sequentialHeader())
	same, err := sameLines(record+"memory-workloads.jsonl", "../../docs/records/006-tuned-backfill/runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	kept := readRecord(t, "same.csv")
	for _, line := range same {
		has(kept, line)
	}
}

// The comparisons of the record have as many metrics as a comparison on Slurm has main metrics that differ.
func TestNullsHaveAFamily(t *testing.T) {
	rows := readRecord(t, "../006-tuned-backfill/comparison.csv")
	metrics, p := slices.Index(rows[0], "metric"), slices.Index(rows[0], "p")
	main := 0
	for _, m := range metric.Measures() {
		if compare.FamilyOf(m) == compare.Main && slices.ContainsFunc(rows, func(row []string) bool { return row[metrics] == m.Column && row[p] != "" }) {
			main++
		}
	}
	if main != nullMetrics {
		t.Errorf("%d main metrics differ, the record has comparisons of %d", main, nullMetrics)
	}
}

func readRecord(t *testing.T, name string) [][]string {
	t.Helper()
	in, err := os.Open(verdicts + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	rows, err := csv.NewReader(in).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The choice of docs/design/043-verdicts.md: on each null of like policies Student's test calls at most 6.4 % of
// samples different (5 % and two standard errors of 1000 draws), after Holm's correction and for campaigns that add seeds.
func TestStudentKeepsItsLevel(t *testing.T) {
	for _, file := range []string{"nulls.csv", "sequential.csv"} {
		rows := readRecord(t, file)
		for _, row := range rows[1:] {
			if row[0] == nulls()[len(nulls())-1].name {
				continue
			}
			for i, title := range rows[0] {
				if title != "student" && title != "student any by Holm" {
					continue
				}
				if rate := atof(t, row[i]); rate > 6.4 {
					t.Errorf("%s: %s, %s: %s is %g %%", file, row[0], row[1], title, rate)
				}
			}
		}
	}
}

func atof(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
