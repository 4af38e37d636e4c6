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

// plain is the verdict on a metric that has no probability.
func (c Comparison) plain(d MetricDifference) string {
	switch {
	case d.constant():
		return "equal"
	case len(d.pairs) == 1:
		return OnePair
	case c.Kind == Repetitions && !d.RangeA.apart(d.RangeB):
		return "within noise"
	case c.beyondNoise(d):
		return d.Better + ", on these jobs"
	default:
		return notShown
	}
}

// OnePair is the verdict without a second pair: what one run shows may be chance.
const OnePair = "one pair, no verdict"

// notShown is the verdict on a difference that more runs may show, see needed.
const notShown = "no difference shown"

// needed is how many replicas, windows or repetitions would show a difference as large as
// the observed one, 0 for more than mostNeeded. It is false where that is not asked.
func (c Comparison) needed(d MetricDifference) (n int, asked bool) {
	switch {
	case c.plain(d) != notShown || d.Sure || d.Mean == 0:
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

// enoughRepetitions is the least number n of repetitions with which runs that differ by noise alone, dealt to two
// sides, would seldom have ranges apart. The probability 2 / (2n choose n) is 1/3, 1/10 and 1/35 for 2, 3 and 4, the
// last the first below 5 %. It is the extreme outcome of the rank-sum test of Mann and Whitney, 1947.
const enoughRepetitions = 4

// beyondNoise says that every repetition of one side was better than every one of the
// other, and that there are enough of them.
func (c Comparison) beyondNoise(d MetricDifference) bool {
	return c.Kind == Repetitions && c.pairs() >= enoughRepetitions && d.RangeA.apart(d.RangeB)
}

// Summary says what the runs show, and how many jobs did not end as planned or never started.
func (c Comparison) Summary() string { return c.finding() + c.missing() }

// missing counts the jobs that are missing from metrics, nothing where none is.
func (c Comparison) missing() (text string) {
	if c.Failed > 0 {
		text = fmt.Sprintf(" %d of the %d jobs of all runs did not end as planned: what they did not do is missing from every metric.", c.Failed, c.Jobs)
	}
	if c.Unstarted > 0 {
		text += fmt.Sprintf(" %d of the %d jobs of all runs never started: their waits are censored, and in no mean.", c.Unstarted, c.Jobs)
	}
	return text
}

// finding is what the runs show.
func (c Comparison) finding() string {
	of := "workload " + c.Workload
	if c.Machine != "" {
		of += " on machine " + c.Machine
	}
	if c.Policy != "" {
		of += " under policy " + c.Policy
	}
	switch {
	case c.pairs() == 1:
		return fmt.Sprintf("One pair of runs of %s: it shows how these two runs went, not which %s is better.", of, c.Of)
	case c.Kind == Repetitions:
		findings := c.noiseFindings()
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
	return fmt.Sprintf("%s: %s", of, c.findings())
}

// noiseFindings names the metrics in which every repetition of a side is better, and counts the others.
func (c Comparison) noiseFindings() string {
	better := map[string][]string{}
	open, equal := 0, 0
	for _, d := range c.Differences {
		switch {
		case d.constant():
			equal++
		case c.beyondNoise(d):
			better[d.Better] = append(better[d.Better], d.Words)
		default:
			open++
		}
	}
	return strings.Join(append(c.betterIn(better, " on these jobs"), others("no difference beyond noise is shown", open, equal)...), "; ")
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
