package compare

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// pairs is the number of pairs of runs.
func (c Comparison) pairs() int { return len(c.Seeds) }

// verdict says in a few words what the runs show in one metric. It names a side as
// better only where the interval excludes zero, or where the difference is beyond the
// noise of repetitions.
func (c Comparison) verdict(d MetricDifference) string {
	switch {
	case d.constant():
		return "equal"
	case c.pairs() == 1:
		return "one pair, no verdict"
	case c.Kind == Repetitions && !d.RangeA.apart(d.RangeB):
		return "within noise"
	case c.beyondNoise(d):
		return d.Better + ", on these jobs"
	case d.Sure:
		return d.Better
	default:
		return notShown
	}
}

// notShown is the verdict on a difference that more runs may show, see needed.
const notShown = "no difference shown"

// needed is how many replicas, windows or repetitions would show a difference as large as
// the observed one, 0 for more than mostNeeded. It is false where that is not asked.
func (c Comparison) needed(d MetricDifference) (n int, asked bool) {
	switch {
	case c.verdict(d) != notShown || d.Mean == 0:
		return 0, false
	case c.Kind == Repetitions:
		return enoughRepetitions, true
	default:
		return d.Needed, true
	}
}

// constant says that both sides have the same value in all runs.
func (d MetricDifference) constant() bool {
	return d.RangeA == d.RangeB && d.RangeA.Min == d.RangeA.Max
}

// enoughRepetitions is the least number n of repetitions with which runs that differ
// by noise alone, dealt to two sides, would seldom have ranges apart: the
// probability 2 / (2n choose n) is 1/3, 1/10 and 1/35 for 2, 3 and 4, the first below
// 5 % (the extreme outcome of the rank-sum test of Mann and Whitney, 1947).
const enoughRepetitions = 4

// beyondNoise says that every repetition of one side was better than every one of the
// other, and that there are enough of them.
func (c Comparison) beyondNoise(d MetricDifference) bool {
	return c.Kind == Repetitions && c.pairs() >= enoughRepetitions && d.RangeA.apart(d.RangeB)
}

// Summary says in one sentence what the runs show, and in another one, if there are
// any, how many jobs did not end as planned.
func (c Comparison) Summary() string {
	if c.Failed == 0 {
		return c.finding()
	}
	return fmt.Sprintf("%s %d of the %d jobs of all runs did not end as planned: what they did not do is missing from every metric.",
		c.finding(), c.Failed, c.Jobs)
}

// finding is what the runs show.
func (c Comparison) finding() string {
	of := fmt.Sprintf("workload %s on machine %s", c.Workload, c.Machine)
	if c.Policy != "" {
		of += " under policy " + c.Policy
	}
	switch {
	case c.pairs() == 1:
		return fmt.Sprintf("One pair of runs of %s: it shows how these two runs went, not which %s is better.", of, c.Of)
	case c.Kind == Repetitions:
		findings := c.findings("on these jobs", "no difference beyond noise is shown", c.beyondNoise)
		if c.pairs() < enoughRepetitions {
			findings = fmt.Sprintf("at least %d are needed to tell a difference from noise", enoughRepetitions)
		}
		return fmt.Sprintf("%d repetitions of the same jobs (%s), which show the noise from run to run and nothing about other jobs: %s.",
			c.pairs(), of, findings)
	case c.Kind == Windows:
		of = fmt.Sprintf("Over %d windows of %s", c.pairs(), of)
	default:
		of = fmt.Sprintf("Over %d replicas of %s", c.pairs(), of)
	}
	return fmt.Sprintf("%s: %s.", of, c.findings("", "no difference is shown", func(d MetricDifference) bool { return d.Sure }))
}

// findings names the metrics in which each side is better as shown says, and counts
// the others.
func (c Comparison) findings(how, otherwise string, shown func(MetricDifference) bool) string {
	better := map[string][]string{}
	equal, open := 0, 0
	for _, d := range c.Differences {
		switch {
		case d.constant():
			equal++
		case shown(d):
			better[d.Better] = append(better[d.Better], d.Words)
		default:
			open++
		}
	}
	var parts []string
	for _, side := range []string{c.B, c.A} {
		if list := better[side]; len(list) > 0 {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s is better %s", side, how))+" in "+enumerate(list))
		}
	}
	if open > 0 {
		parts = append(parts, fmt.Sprintf("%s in %s", otherwise, metrics(open)))
	}
	if equal > 0 {
		parts = append(parts, metrics(equal)+" without any difference")
	}
	return strings.Join(parts, "; ")
}

func metrics(n int) string { return text.Plural(n, "metric") }

// Words is the name of a measure in an enumeration: "waiting time", "cycle mean".
func Words(m metric.Measure) string {
	name := strings.ReplaceAll(m.Name, ",", "")
	first, size := utf8.DecodeRuneInString(name)
	second, _ := utf8.DecodeRuneInString(name[size:])
	if unicode.IsUpper(second) {
		return name
	}
	return string(unicode.ToLower(first)) + name[size:]
}

// enumerate lists words: "a", "a and b", "a, b and c".
func enumerate(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
