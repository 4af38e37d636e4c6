package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
)

// set is one policy on one workload: the values of each metric, seed by seed.
type set struct {
	source, name string
	metrics      [][]float64
	// families has the family of each metric.
	families []compare.Family
}

// sets collects values by name, in the order in which names come.
type sets struct {
	names  []string
	values map[string][][]float64
}

func (s *sets) add(name string, row []float64) {
	if s.values == nil {
		s.values = map[string][][]float64{}
	}
	if s.values[name] == nil {
		s.names, s.values[name] = append(s.names, name), make([][]float64, len(row))
	}
	for i, v := range row {
		s.values[name][i] = append(s.values[name][i], v)
	}
}

// seedsOfSet is how many seeds a set has at least: half of them are the pairs of a comparison.
const seedsOfSet = 20

// large are the sets with enough seeds, whose metrics are of these families.
func (s *sets) large(source string, families []compare.Family) []set {
	var all []set
	for _, name := range s.names {
		if len(s.values[name][0]) >= seedsOfSet {
			all = append(all, set{source, name, s.values[name], families})
		}
	}
	return all
}

// rehearsedSets are the sets of workloads among the cells of a results file.
func rehearsedSets(file string) ([]set, error) {
	all, err := readResults(file)
	var found sets
	for _, c := range all {
		if c.Load == 0 {
			found.add(c.Queue+" "+c.Policy, []float64{c.Waiting, c.BoundedSlowdown, c.Utilisation, c.Longest})
		}
	}
	return found.large("rehearsed", slices.Repeat([]compare.Family{compare.Main}, 4)), err
}

// recordedSets are the sets among the runs of a table of runs, with all metrics in which policies are compared.
func recordedSets(file string) ([]set, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(in).ReadAll()
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	policy, workload := slices.Index(rows[0], "policy"), slices.Index(rows[0], "workload")
	columns, families := comparedColumns(rows)
	var found sets
	for line, row := range rows[1:] {
		var values []float64
		for _, at := range columns {
			v, err := strconv.ParseFloat(row[at], 64)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", file, line+2, rows[0][at], err)
			}
			values = append(values, v)
		}
		found.add(row[workload]+" "+row[policy], values)
	}
	return found.large("recorded", families), nil
}

// comparedColumns are the columns in which policies are compared and that have a value in each row, with their families.
func comparedColumns(rows [][]string) (columns []int, families []compare.Family) {
	for _, m := range metric.Measures() {
		at := slices.Index(rows[0], m.Column)
		empty := func(row []string) bool { return row[at] == "" }
		if at >= 0 && m.Subject == metric.OfPolicy && m.Better != metric.Neither && !slices.ContainsFunc(rows, empty) {
			columns, families = append(columns, at), append(families, compare.FamilyOf(m))
		}
	}
	return columns, families
}

// tests deals the seeds of the set to two sides at random and pairs them: a test of each metric that is not the same in all
// pairs.
func (s set) tests(random *rand.Rand) (t compare.Tests) {
	order := random.Perm(len(s.metrics[0]))
	half := len(order) / 2
	for m, values := range s.metrics {
		var differences []float64
		for i := range half {
			differences = append(differences, values[order[half+i]]-values[order[i]])
		}
		if slices.Max(differences) != slices.Min(differences) {
			t.All = append(t.All, compare.Test{Family: s.families[m], P: compare.MeanP(differences)})
		}
	}
	return t
}

// sameComparisons is how often the seeds of each set are split.
const sameComparisons = 200

// sameLine is a line of same.csv: what comparisons of a policy with itself find.
func sameLine(s set) []string {
	random := rand.New(rand.NewPCG(45, 0))
	var alone, tested int
	any, metrics := map[compare.Family]int{}, map[compare.Family]int{}
	for _, family := range s.families {
		metrics[family]++
	}
	for range sameComparisons {
		tests := s.tests(random)
		found := map[compare.Family]int{}
		for i, ruling := range tests.Rulings() {
			test := tests.All[i]
			alone += below([]float64{test.P})
			found[test.Family] += below([]float64{ruling.Holm})
		}
		tested += len(tests.All)
		for family, n := range found {
			any[family] += min(1, n)
		}
	}
	percent := func(n, of int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(of)) }
	line := []string{s.source, s.name, strconv.Itoa(len(s.metrics[0])), strconv.Itoa(sameComparisons), percent(alone, tested)}
	for _, family := range []compare.Family{compare.Main, compare.Detail} {
		cell := ""
		if metrics[family] > 0 {
			cell = percent(any[family], sameComparisons)
		}
		line = append(line, strconv.Itoa(metrics[family]), cell)
	}
	return line
}

// below counts the probabilities below the level.
func below(p []float64) (n int) {
	for _, v := range p {
		if v < significance {
			n++
		}
	}
	return n
}

// sameLines compares each set of the rehearsed and the recorded runs with itself.
func sameLines(results, runs string) ([][]string, error) {
	rehearsed, errRehearsed := rehearsedSets(results)
	recorded, errRecorded := recordedSets(runs)
	lines := [][]string{{"runs", "of", "seeds", "comparisons", "called alone %", "main", "any main by Holm %", "details", "any detail by Holm %"}}
	for _, s := range slices.Concat(rehearsed, recorded) {
		lines = append(lines, sameLine(s))
	}
	return lines, errors.Join(errRehearsed, errRecorded)
}
