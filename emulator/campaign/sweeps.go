package campaign

import (
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
)

// addSweeps notes the settings of several values of an entry of policies, whose name without them is stem. all are its combinations,
// names those of the policies that they make.
func (f *file) addSweeps(stem string, own bool, all []combination, names []string) {
	for place, one := range all[0] {
		if !one.several {
			continue
		}
		at := slices.IndexFunc(f.sweeps, func(s compare.Sweep) bool { return s.Policy == stem && s.Setting == one.Key })
		if at < 0 {
			at, f.sweeps = len(f.sweeps), append(f.sweeps, compare.Sweep{Policy: stem, Setting: one.Key})
		}
		for i, c := range all {
			addPoint(&f.sweeps[at], c.without(place).name("", own), compare.SweepPoint{Value: c[place].Value, Policy: names[i]})
		}
	}
}

// addPoint puts a point at the end of the line that has its other settings.
func addPoint(s *compare.Sweep, with string, p compare.SweepPoint) {
	with = strings.TrimPrefix(with, "+")
	at := slices.IndexFunc(s.Lines, func(l compare.SweepLine) bool { return l.With == with })
	if at < 0 {
		at, s.Lines = len(s.Lines), append(s.Lines, compare.SweepLine{With: with})
	}
	s.Lines[at].Points = append(s.Lines[at].Points, p)
}

// without is the combination without the setting at a place.
func (c combination) without(place int) combination {
	return slices.Delete(slices.Clone(c), place, place+1)
}
