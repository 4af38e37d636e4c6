package campaign

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
)

// addSweeps adds the settings of several values of an entry of policies, whose name without them is stem. all are
// its combinations, names the names of the policies that they make.
func addSweeps(sweeps []compare.Sweep, stem string, own bool, all []combination, names []string) []compare.Sweep {
	for k, one := range all[0] {
		if !one.several {
			continue
		}
		at := slices.IndexFunc(sweeps, func(s compare.Sweep) bool { return s.Policy == stem && s.Setting == one.Key })
		if at < 0 {
			at, sweeps = len(sweeps), append(sweeps, compare.Sweep{Policy: stem, Setting: one.Key})
		}
		add := pointsOf(&sweeps[at])
		for i, c := range all {
			add(c.without(k).name("", own), compare.SweepPoint{Value: c[k].Value, Policy: names[i]})
		}
	}
	return sweeps
}

// pointsOf returns what puts a point at the end of the line that has its other settings. It looks lines up by these:
// sixteen settings of two values have 32,768 lines each.
func pointsOf(s *compare.Sweep) func(with string, p compare.SweepPoint) {
	lines := map[string]int{}
	for i, l := range s.Lines {
		lines[l.With] = i
	}
	return func(with string, p compare.SweepPoint) {
		with = strings.TrimPrefix(with, "+")
		at, ok := lines[with]
		if !ok {
			at = len(s.Lines)
			lines[with], s.Lines = at, append(s.Lines, compare.SweepLine{With: with})
		}
		s.Lines[at].Points = append(s.Lines[at].Points, p)
	}
}

// without is the combination without setting k.
func (c combination) without(k int) combination {
	return slices.Delete(slices.Clone(c), k, k+1)
}
