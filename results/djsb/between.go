package djsb

import (
	"bytes"
	"fmt"
	"math"
	"reflect"

	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Between is a sentence of DJSB section 4.4 on two configurations, which the paper's figures 3 and
// 4, or 4 and 5, show.
type Between struct {
	// Name is short, Words are the paper's.
	Name, Words string
	// applies says whether two configurations differ as the sentence says.
	applies func(before, after djsbconfig.DJSB) bool
	// margin is like a Finding's.
	margin func(before, after means) float64
}

// Applies says whether the sentence is about two such configurations.
func (b Between) Applies(before, after djsbconfig.DJSB) bool { return b.applies(before, after) }

// Margin is by how much the numbers support the sentence, like a Finding's.
func (b Between) Margin(before, after []Summary) float64 {
	return levelled(b.margin(meansOf(before), meansOf(after)))
}

// impact is how much more "at most 20% more impacted" is, in points of the slowdown.
const impact = 0.2

// FindingsBetween are those on two configurations, in the order of the text.
func FindingsBetween() []Between {
	return []Between{
		{"more memory: simulation at most 20 % more", "the simulation at most 20% more impacted when its demand for memory is higher", moreMemory, func(before, after means) float64 {
			return impact + leastOfBoth(before, after, func(b, a Summary) float64 { return simulation(b) - simulation(a) })
		}},
		{"more memory slows the analytics", "analytics suffers significant impact of almost a double performance loss comparing to the previous set of experiments", moreMemory, func(before, after means) float64 {
			return leastOfBoth(before, after, func(b, a Summary) float64 { return analysis(a) - analysis(b) })
		}},
		{"more memory lowers dynamicity", "the impact of increase in memory requirements by simulation makes system less capable to deal with the new coming applications", moreMemory, func(before, after means) float64 {
			return leastOfBoth(before, after, func(b, a Summary) float64 { return dynamicity(b) - dynamicity(a) })
		}},
		{"much memory: lending no better", "in case of dominantly memory-intesive applications, such as STREAM, the dynamic resource management does not bring better performance than oversubscription scenario", moreMemory, func(_, after means) float64 {
			over, lend := djsbconfig.ScenarioOversubscription, djsbconfig.ScenarioCooperative
			numbers := after.numbers(over, lend)
			if len(numbers) == 0 {
				return math.NaN()
			}
			most := numbers[len(numbers)-1]
			return dynamicity(after[over][most]) - dynamicity(after[lend][most])
		}},
		{"a smaller system behaves the same", "with respect to slowdown of individual applications and dynamicity of the system remains the same", smaller, func(before, after means) float64 {
			return sameWithin + leastOfBoth(before, after, func(b, a Summary) float64 {
				change := 0.0
				for _, of := range []func(Summary) float64{simulation, analysis, dynamicity} {
					change = math.Max(change, math.Abs(of(a)/of(b)-1))
				}
				return -change
			})
		}},
	}
}

// leastOfBoth is the least value over the paper's scenarios and the numbers of analytics that both
// sides have.
func leastOfBoth(before, after means, of func(before, after Summary) float64) float64 {
	least := math.Inf(1)
	for _, s := range PaperScenarios() {
		for n, b := range before[s] {
			if a, there := after[s][n]; there {
				least = math.Min(least, of(b, a))
			}
		}
	}
	if math.IsInf(least, 1) {
		return math.NaN()
	}
	return least
}

// shape is what of a configuration decides how its applications fare: not its name, nor what is
// repeated how often.
func shape(c djsbconfig.DJSB) djsbconfig.DJSB {
	c.Name, c.NumOfSamples, c.NumOfRefAnalysis, c.NumOfDynAnalysis, c.Scenarios = "", 0, 0, nil, nil
	return c
}

// moreMemory says that before and after differ in the simulation's memory alone, and that with it both
// applications need "more than 50% of total node memory" after, and not before.
func moreMemory(before, after djsbconfig.DJSB) bool {
	much := func(c djsbconfig.DJSB) bool {
		return c.Simulation.MemoryPerNode()+c.Analysis.MemoryPerNode() > c.Machine.Memory/2
	}
	more := much(after) && !much(before)
	before, after = shape(before), shape(after)
	before.Simulation.TotalMemory = after.Simulation.TotalMemory
	return more && reflect.DeepEqual(before, after)
}

// smaller says that after has fewer nodes, of which both applications have the same part, and
// that each node is the same.
func smaller(before, after djsbconfig.DJSB) bool {
	part := func(a, b djsbconfig.Application) bool {
		return a.TotalTasks*after.Machine.Nodes == b.TotalTasks*before.Machine.Nodes && a.MemoryPerNode() == b.MemoryPerNode()
	}
	if after.Machine.Nodes >= before.Machine.Nodes || !part(before.Simulation, after.Simulation) || !part(before.Analysis.Application, after.Analysis.Application) {
		return false
	}
	before, after = shape(before), shape(after)
	before.Machine.Nodes = after.Machine.Nodes
	before.Simulation.TotalTasks, before.Simulation.TotalMemory = after.Simulation.TotalTasks, after.Simulation.TotalMemory
	before.Analysis.TotalTasks, before.Analysis.TotalMemory = after.Analysis.TotalTasks, after.Analysis.TotalMemory
	return reflect.DeepEqual(before, after)
}

// borne is a sentence with the two sides that it is about.
type borne struct {
	Between
	before, after string
	measured      float64
}

// BetweenTable has a row for each sentence on two configurations and each two sides that differ
// as those do. Sides with real and with emulated applications, with other parameters of the
// model, or under other policies, are not put together. It finds none if there are no such sides.
func BetweenTable(sides []Side) (t table.Table, found bool, err error) {
	var all []borne
	for _, f := range FindingsBetween() {
		for _, before := range sides {
			for _, after := range sides {
				if sameSystem(before.Record, after.Record) && f.Applies(before.Record.Config, after.Record.Config) {
					all = append(all, borne{f, before.Name, after.Name, f.Margin(before.Summaries, after.Summaries)})
				}
			}
		}
	}
	if len(all) == 0 {
		return table.Table{}, false, nil
	}
	frame, err := table.NewFrame(all,
		table.Word("finding", func(f borne) string { return f.Name }),
		table.Word("before", func(f borne) string { return f.before }),
		table.Word("after", func(f borne) string { return f.after }),
		table.Word("ours", func(f borne) string { return Verdict(f.measured) }),
		table.Number("margin", func(f borne) float64 { return f.measured }),
		table.Word("paper", func(f borne) string { return f.Words }),
	)
	if err != nil {
		return table.Table{}, false, fmt.Errorf("make table: %w", err)
	}
	t, err = table.New(frame, table.Words("Finding of the paper", "finding"), table.Words("From", "before"), table.Words("To", "after"),
		table.Words("Ours", "ours"), table.Numbers("Margin", "margin", decimals), table.Words("In the paper's words", "paper").Ranked(5))
	return t, true, err
}

// sameSystem says that two records differ only in their configurations, and by chance.
func sameSystem(a, b Record) bool {
	return a.Backend == b.Backend && a.Real == b.Real && bytes.Equal(a.Model, b.Model) && a.policyToday() == b.policyToday()
}
