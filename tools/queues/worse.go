package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
)

// finding is how a figure of a policy stands to the first policy's.
type finding struct {
	compare.Test
	// standing is by the column's margin, empty without one.
	standing compare.Standing
}

// find returns the finding of a column that is counted, from the logarithms of the ratios of a policy to the base, and none
// where a single window tells nothing of chance.
func find(base string, g group, c column, logs []float64) []finding {
	if c.better == 0 || len(logs) < 2 {
		return nil
	}
	mean, interval := compare.MeanInterval(logs)
	f := finding{Test: compare.Test{Of: g.of(c), Better: g.policy, Part: math.Exp(mean) - 1, Family: compare.Main, P: compare.MeanP(logs)}}
	if mean*float64(c.sign()) < 0 {
		f.Better = base
	}
	if margin, there := compare.Margin(c.key); there {
		f.standing = compare.StandingOf(c.better, compare.Interval{Low: math.Exp(interval.Low) - 1, High: math.Exp(interval.High) - 1}, margin, len(logs))
	}
	return []finding{f}
}

// of names a column of the group: "waiting of kth at 0.9".
func (g group) of(c column) string {
	of := c.name + " of " + g.queue
	if g.load > 0 {
		of += fmt.Sprintf(" at %g", g.load)
	}
	return of
}

// told says by the rule of package compare in which figures a policy and the base are better, and by the margins in which
// the policy is not worse, worse, or neither.
func told(base, policy string, all []finding) string {
	tests := compare.Tests{By: "Student's t of the logarithms of the ratios", Noun: "figure"}
	for _, f := range all {
		tests.All = append(tests.All, f.Test)
	}
	return fmt.Sprintf("- %s beside %s: %s\n%s", policy, base, tests.Sentence([]string{policy, base}, 0), byMargin(policy, all))
}

// byMargin lists the standings, nothing without figures.
func byMargin(policy string, all []finding) string {
	names := map[compare.Standing][]string{}
	for _, f := range all {
		names[f.standing] = append(names[f.standing], f.Of)
	}
	if len(all) == len(names[""]) {
		return ""
	}
	return fmt.Sprintf("- %s by margin, without correction: not worse in %s; worse in %s; open in %s\n",
		policy, listed(names[compare.NotWorse]), listed(names[compare.Worse]), listed(names[compare.Open]))
}

func listed(names []string) string {
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}
