package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// Family is the metrics that one correction counts (docs/design/043-verdicts.md).
type Family string

// The families, as they are in CSV.
const (
	// Main are the metrics of tables for people.
	Main Family = "main"
	// Detail are all others. Many of them tell the same, and they would take the power of the main ones.
	Detail Family = "detail"
)

// FamilyOf is the family of a measure: main if tables for people have it.
func FamilyOf(m metric.Measure) Family {
	if _, shown := m.Rank(); shown {
		return Main
	}
	return Detail
}

// Test is the test of one difference.
type Test struct {
	// Of is what differs, as in a sentence: "waiting time". Better is the side with the better mean.
	Of, Better string
	// Part is the difference divided by the mean of the side that it is compared with, infinite where that mean is 0.
	Part   float64
	Family Family
	// P is the two-sided probability of such a difference by chance, NaN where nothing was tested.
	P float64
	// Values are all values of both sides, in the order of the pairs, nil if they are not known. Metrics of a family with
	// the same values are one test.
	Values []float64
}

// Ruling is what a test shows when all of its family are counted.
type Ruling struct {
	// Holm is P after Holm's correction, NaN where nothing was tested.
	Holm float64
	// Words are the verdict, empty where nothing was tested.
	Words string
}

// Tests are the tests of one comparison. All verdicts of slurmlab, and the sentences that name a winner, are from here.
type Tests struct {
	// By is the test: "Student's paired t". Noun is what is counted: "metric".
	By, Noun string
	All      []Test
}

// Rulings judges each test, in their order.
func (t Tests) Rulings() []Ruling {
	rulings := make([]Ruling, len(t.All))
	for i := range rulings {
		rulings[i].Holm = math.NaN()
	}
	for _, family := range []Family{Main, Detail} {
		of, p, values := t.tested(family)
		for k, adjusted := range holmOnce(p, values) {
			rulings[of[k]] = Ruling{Holm: adjusted, Words: t.All[of[k]].words(adjusted)}
		}
	}
	return rulings
}

// OrChance ends the verdict on a difference that is shown only if it is judged alone: such a verdict calls no side better.
const OrChance = ", or chance"

// words are the verdict by the corrected probability.
func (t Test) words(holm float64) string {
	switch {
	case holm < significance:
		return t.Better + "," + t.by()
	case t.P < significance:
		return t.Better + "," + t.by() + OrChance
	default:
		return notShown
	}
}

// by is how much larger or smaller the mean is than the mean that it is compared with.
func (t Test) by() string {
	percent := 100 * math.Abs(t.Part)
	switch {
	case math.IsInf(percent, 1):
		return " from 0"
	case percent < 10:
		return fmt.Sprintf(" by %.1f %%", percent)
	}
	return fmt.Sprintf(" by %.0f %%", percent)
}

// tested lists the tests of a family that have a probability, with that and their values.
func (t Tests) tested(family Family) (of []int, p []float64, values [][]float64) {
	for i, test := range t.All {
		if test.Family == family && !math.IsNaN(test.P) {
			of, p, values = append(of, i), append(p, test.P), append(values, test.Values)
		}
	}
	return of, p, values
}

// counted is for how many tests of a family Holm's correction is, and how many more repeat one of them.
func (t Tests) counted(family Family) (n, repeated int) {
	of, _, values := t.tested(family)
	n = distinct(values)
	return n, len(of) - n
}

// Rule names the test of the verdicts, and what it is corrected for; it is empty where nothing was tested.
func (t Tests) Rule() string {
	mains, repeatedMains := t.counted(Main)
	details, repeatedDetails := t.counted(Detail)
	rule, repeated := fmt.Sprintf("Test: %s at 5 %%, corrected by Holm for ", t.By), repeatedText(repeatedMains+repeatedDetails)
	switch {
	case mains == 0 && details == 0:
		return ""
	case details == 0:
		return rule + text.Plural(mains, t.Noun) + repeated
	case mains == 0:
		return rule + text.Plural(details, "detail") + repeated
	}
	return rule + text.Plural(mains, t.Noun) + ", and apart for " + text.Plural(details, "detail") + repeated
}

// repeatedText names the tests that Holm's correction leaves out, empty without any.
func repeatedText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (1 more has the values of another in all runs and is not counted)"
	}
	return fmt.Sprintf(" (%d more have the values of another in all runs and are not counted)", n)
}

// Sentence says in which main metrics each side is better when all of the family are counted, counts the others, and names
// the rule. Equal is how many have the same value everywhere.
func (t Tests) Sentence(sides []string, equal int) string {
	rulings := t.Rulings()
	var parts []string
	for _, side := range sides {
		var better []string
		details := 0
		for i, test := range t.All {
			switch {
			case !(rulings[i].Holm < significance) || test.Better != side:
			case test.Family == Detail:
				details++
			default:
				better = append(better, test.Of+test.by())
			}
		}
		if details > 0 {
			better = append(better, text.Plural(details, "detail"))
		}
		if len(better) > 0 {
			parts = append(parts, side+" is better in "+enumerate(better))
		}
	}
	chance, open := 0, 0
	for i, test := range t.All {
		switch {
		case math.IsNaN(test.P) || rulings[i].Holm < significance:
		case test.P < significance:
			chance++
		default:
			open++
		}
	}
	if chance > 0 {
		parts = append(parts, alone(chance, t.Noun, len(parts) > 0))
	}
	if open > 0 {
		parts = append(parts, "no difference is shown in "+text.Plural(open, t.Noun))
	}
	if equal > 0 {
		parts = append(parts, text.Plural(equal, t.Noun)+" without any difference")
	}
	if len(parts) == 0 {
		return "nothing is tested."
	}
	found := strings.Join(parts, "; ") + "."
	if rule := t.Rule(); rule != "" {
		found += " " + rule + "."
	}
	return found
}

// alone says of how many tests p is low and p by Holm is not, others than those named before.
func alone(n int, noun string, others bool) string {
	of, each := text.Plural(n, noun)+" differ", "each is"
	if n == 1 {
		of, each = "1 "+noun+" differs", "it is"
	}
	if others {
		_, rest, _ := strings.Cut(of, " ")
		of = fmt.Sprintf("%d other %s", n, rest)
	}
	return fmt.Sprintf("%s only if %s judged alone, which may be chance", of, each)
}
