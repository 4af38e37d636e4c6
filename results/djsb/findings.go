package djsb

import (
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Finding is a sentence of DJSB section 4.4 that numbers can bear out.
type Finding struct {
	// Name is short, Words are the paper's.
	Name, Words string
	// margin is how far the numbers are on the sentence's side; below 0 they are on the
	// other. It is NaN when they do not tell.
	margin func(means) float64
}

// level is the margin up to which two sides are level: what a slowdown's last decimal is worth.
const level = 5e-4

// Margin is by how much the numbers bear the finding out: above 0 they do, below they say the
// opposite, and 0 is level. It is NaN when numbers for it are missing.
func (f Finding) Margin(summaries []Summary) float64 { return levelled(f.margin(meansOf(summaries))) }

// levelled is a margin, 0 where both sides are level.
func levelled(margin float64) float64 {
	if math.Abs(margin) < level {
		return 0
	}
	return margin
}

func meansOf(summaries []Summary) means {
	m := means{}
	for _, s := range summaries {
		if s.Samples == 0 || s.Analyses == 0 {
			continue
		}
		if m[s.Scenario] == nil {
			m[s.Scenario] = map[int]Summary{}
		}
		m[s.Scenario][s.Analyses] = s
	}
	return m
}

// means are summaries by scenario and number of analytics.
type means map[djsbconfig.Scenario]map[int]Summary

// numbers are the numbers of analytics that all of the scenarios have, in order.
func (m means) numbers(scenarios ...djsbconfig.Scenario) []int {
	var out []int
	for n := range m[scenarios[0]] {
		if !slices.ContainsFunc(scenarios, func(s djsbconfig.Scenario) bool { _, there := m[s][n]; return !there }) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// least is the least value over the numbers of analytics that the scenarios have in common.
func (m means) least(of func(n int) float64, scenarios ...djsbconfig.Scenario) float64 {
	least := math.Inf(1)
	for _, n := range m.numbers(scenarios...) {
		least = math.Min(least, of(n))
	}
	if math.IsInf(least, 1) {
		return math.NaN()
	}
	return least
}

// rises is the least rise of a value from one number of analytics to the next.
func (m means) rises(of func(Summary) float64) float64 {
	least := math.Inf(1)
	for _, s := range PaperScenarios() {
		numbers := m.numbers(s)
		for i := range max(0, len(numbers)-1) {
			least = math.Min(least, of(m[s][numbers[i+1]])-of(m[s][numbers[i]]))
		}
	}
	if math.IsInf(least, 1) {
		return math.NaN()
	}
	return least
}

// PaperScenarios are the scenarios of the paper.
func PaperScenarios() []djsbconfig.Scenario {
	return []djsbconfig.Scenario{djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative}
}

// The means that the paper's sentences are about.
func simulation(s Summary) float64 { return s.SimulationSlowdown.Mean }
func analysis(s Summary) float64   { return s.AnalysisSlowdown.Mean }
func dynamicity(s Summary) float64 { return s.DynamicityOfAll.Mean }

// Findings are those on one configuration, in the order of the text.
func Findings() []Finding {
	over, stop, lend := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioStopContinue, djsbconfig.ScenarioCooperative
	return []Finding{
		{"simulation suffers with each analytics", "slowdown of simulation increases as the number of analytics that it shares resources with increases", func(m means) float64 {
			return m.rises(simulation)
		}},
		{"simulation suffers least by lending", "The least impact is in the case of dynamic scenario", func(m means) float64 {
			return m.least(func(n int) float64 {
				return math.Min(simulation(m[over][n]), simulation(m[stop][n])) - simulation(m[lend][n])
			}, PaperScenarios()...)
		}},
		{"simulation suffers most by oversubscription", "The highest impact on simulation's performance is in the case of oversubscription", func(m means) float64 {
			return m.least(func(n int) float64 {
				return simulation(m[over][n]) - math.Max(simulation(m[stop][n]), simulation(m[lend][n]))
			}, PaperScenarios()...)
		}},
		{"analytics suffers most by oversubscription", "the analytics job is the most impacted in the case of oversubscription", func(m means) float64 {
			return m.least(func(n int) float64 {
				return analysis(m[over][n]) - math.Max(analysis(m[stop][n]), analysis(m[lend][n]))
			}, PaperScenarios()...)
		}},
		{"analytics suffers least by stop&continue", "It is the least impacted in the case of stop&continue", func(m means) float64 {
			return m.least(func(n int) float64 {
				return math.Min(analysis(m[over][n]), analysis(m[lend][n])) - analysis(m[stop][n])
			}, PaperScenarios()...)
		}},
		{"number of analytics does not matter to one", "the analytics does not change performance depending on how much instances of analytics have been run", func(m means) float64 {
			return sameness(m, analysis)
		}},
		{"dynamicity falls with each analytics", "as number of analytics increases in the workload in general the system is less capable", func(m means) float64 {
			return m.rises(func(s Summary) float64 { return -dynamicity(s) })
		}},
		{"dynamicity: stop&continue, lending, oversubscription", "dynamicity in case of oversubscription goes as low as 62%, the highest is in case of stop&continue - at least 79%, and in the case of dynamic, the dynamicity is at least 74%", func(m means) float64 {
			numbers := m.numbers(PaperScenarios()...)
			if len(numbers) == 0 {
				return math.NaN()
			}
			most := numbers[len(numbers)-1]
			return math.Min(dynamicity(m[stop][most])-dynamicity(m[lend][most]), dynamicity(m[lend][most])-dynamicity(m[over][most]))
		}},
	}
}

// sameWithin is how much of its mean a value may spread over the numbers of analytics and still
// not depend on them. It is ours; the paper's figure has no numbers.
const sameWithin = 0.1

// sameness is what is left of sameWithin in the scenario that spreads most.
func sameness(m means, of func(Summary) float64) float64 {
	margin := math.Inf(1)
	for _, s := range PaperScenarios() {
		numbers := m.numbers(s)
		if len(numbers) < 2 {
			continue
		}
		low, high, sum := math.Inf(1), math.Inf(-1), 0.0
		for _, n := range numbers {
			v := of(m[s][n])
			low, high, sum = math.Min(low, v), math.Max(high, v), sum+v
		}
		margin = math.Min(margin, sameWithin-(high-low)*float64(len(numbers))/sum)
	}
	if math.IsInf(margin, 1) {
		return math.NaN()
	}
	return margin
}

// Verdict is a margin in a word.
func Verdict(margin float64) string {
	switch {
	case math.IsNaN(margin):
		return "not measured"
	case margin > 0:
		return "as the paper"
	case margin < 0:
		return "the opposite"
	default:
		return "level"
	}
}
