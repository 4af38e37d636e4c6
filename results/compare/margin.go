package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Standing says whether one side is shown not to be worse than the other in a metric.
type Standing string

// The standings, empty for a metric without a margin or an interval, and for one that is equal in all runs.
const (
	// NotWorse: the worse end of the 95 % interval is within the margin.
	NotWorse Standing = "not worse"
	// Worse: the interval holds worse values alone, and some beyond the margin.
	Worse Standing = "worse"
	// Open: the runs show neither.
	Open Standing = "open"
)

// marginOf is one line of Margins.
type marginOf struct {
	Key  string
	Part float64
}

// margins are the relative differences below which a policy is not worse, fixed before the runs: part of the mean of the
// policy that it is compared with. The keys are those of metric.Measures.
func margins() []marginOf {
	return []marginOf{
		{"waiting_s", 0.05}, {"bounded_slowdown", 0.05}, {"cpu_utilization", 0.01}, {"packing", 0.05},
		{"waiting_quantiles_s.p99", 0.10}, {"waiting_quantiles_s.max", 0.10},
	}
}

// Margin is the margin of a metric by its key, false without one.
func Margin(key string) (part float64, there bool) {
	for _, m := range margins() {
		if m.Key == key {
			return m.Part, true
		}
	}
	return 0, false
}

// StandingOf is the standing of a side by the 95 % interval of its relative difference to the other over so many pairs: a
// test of non-inferiority at 2.5 % (ICH E9, section 3.3.2). No standing is corrected for the number of metrics: a
// correction would hide what is worse. An interval of one point is of equal ratios, which show nothing in few pairs. A
// point at the margin is not within it.
func StandingOf(better metric.Direction, relative Interval, margin float64, pairs int) Standing {
	low, high := relative.Low, relative.High
	if better == metric.Higher {
		low, high = -high, -low
	}
	switch {
	case relative.point() && pairs < enoughSigns:
		return Open
	case high <= margin*(1-rounding):
		return NotWorse
	case low > 0:
		return Worse
	}
	return Open
}

// point says that the interval is no wider than rounding.
func (i Interval) point() bool {
	return i.High-i.Low <= 2*rounding*max(math.Abs(i.Low), math.Abs(i.High))
}

// standing is the standing of side b, none in a metric that has the same value in all runs. A margin is a part of side a's
// mean. Where the pairs do not show that this mean differs from 0, the difference itself has a standing, with a margin of 0.
func (c Comparison) standing(d MetricDifference) Standing {
	part, there := Margin(d.measure.Key)
	if !there || d.Interval == nil || d.constant() {
		return ""
	}
	interval := c.relative(d).Interval
	if interval == nil {
		interval, part = d.Interval, 0
	}
	return StandingOf(d.measure.Better, *interval, part, len(d.pairs))
}

// standings say by the margins in what side b is not worse, worse, or neither; nothing without margins.
func (c Comparison) standings(evidence []Evidence) string {
	found := map[Standing][]string{}
	for i, d := range c.Differences {
		part, _ := Margin(d.measure.Key)
		s := evidence[i].Standing
		found[s] = append(found[s], fmt.Sprintf("%s (%g %%)", d.Words, 100*part))
	}
	var parts []string
	for _, s := range []Standing{NotWorse, Worse, Open} {
		if list := found[s]; len(list) > 0 {
			parts = append(parts, string(s)+" in "+enumerate(list))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf(" By margin (parts of the mean of %s), without correction, %s is %s.", c.A, c.B, strings.Join(parts, "; "))
}
