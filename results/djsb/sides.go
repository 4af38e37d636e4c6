package djsb

import (
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// Side is one of several results that are put beside each other, under a name that no other has.
type Side struct {
	Name string
	Results
}

// summary returns the summary of an experiment of the side, if it has samples that count.
func (s Side) summary(scenario djsbconfig.Scenario, analyses int) (Summary, bool) {
	i := slices.IndexFunc(s.Summaries, func(sum Summary) bool { return sum.Scenario == scenario && sum.Analyses == analyses && sum.Samples > 0 })
	if i < 0 {
		return Summary{}, false
	}
	return s.Summaries[i], true
}

// measure is a metric by which sides and scenarios are told apart.
type measure struct {
	title, name string
	of          func(Metrics) float64
	// mean is that over the samples.
	mean func(Summary) float64
	// sign is 1 where more is better, -1 where less is.
	sign float64
	// rank of its column.
	rank int
}

func measures() []measure {
	return []measure{
		{"Slowdown of simulation", "simulation_slowdown", func(m Metrics) float64 { return m.SimulationSlowdown }, simulation, -1, 0},
		{"Slowdown of analytics", "analysis_slowdown", func(m Metrics) float64 { return m.AnalysisSlowdown }, analysis, -1, 0},
		{"Dynamicity", "dynamicity", func(m Metrics) float64 { return m.Dynamicity }, func(s Summary) float64 { return s.Dynamicity.Mean }, 1, 6},
		{"Dynamicity, all analytics", "dynamicity_all", func(m Metrics) float64 { return m.DynamicityOfAll }, dynamicity, 1, 0},
	}
}

// beside is an experiment of two sides, pair by pair: samples of the same number, which have the
// same sleeps where the seeds are the same.
type beside struct {
	first, second Summary
	numbers       []int
}

func besides(first, second Summary) beside {
	b := beside{first: first, second: second}
	for n := range first.samples {
		if _, there := second.samples[n]; there {
			b.numbers = append(b.numbers, n)
		}
	}
	slices.Sort(b.numbers)
	return b
}

// difference is the mean of second - first over the pairs, NaN without any.
func (b beside) difference(of func(Metrics) float64) Estimate {
	if len(b.numbers) == 0 {
		return Estimate{Mean: math.NaN()}
	}
	values := make([]float64, len(b.numbers))
	for i, n := range b.numbers {
		values[i] = of(b.second.samples[n].Metrics) - of(b.first.samples[n].Metrics)
	}
	var e Estimate
	e.Mean, e.Interval = compare.MeanInterval(values)
	return e
}

// aSecond is the most that a second in the ends of all jobs makes of a metric in any sample of a
// pair.
func (b beside) aSecond(of func(Metrics) float64) float64 {
	most := 0.0
	for _, n := range b.numbers {
		for _, m := range []measured{b.first.samples[n], b.second.samples[n]} {
			most = math.Max(most, math.Abs(of(m.later)-of(m.Metrics)))
		}
	}
	return most
}

// differing is an experiment of a side beside the same one of the first side.
type differing struct {
	side string
	beside
}

// DifferencesTable has a row for each experiment of each further side that the first one has,
// too, with the differences to it. It finds none if no further side has any.
func DifferencesTable(sides []Side) (t table.Table, found bool, err error) {
	var all []differing
	for _, side := range sides[1:] {
		for _, own := range side.Summaries {
			if first, there := sides[0].summary(own.Scenario, own.Analyses); there && own.Samples > 0 {
				all = append(all, differing{side.Name, besides(first, own)})
			}
		}
	}
	if len(all) == 0 {
		return table.Table{}, false, nil
	}
	fields := []table.Field[differing]{
		table.Word("results", func(d differing) string { return d.side }),
		table.Word("scenario", func(d differing) string { return string(d.second.Scenario) }),
		table.Number("analytics", func(d differing) float64 { return float64(d.second.Analyses) }),
		table.Number("pairs", func(d differing) float64 { return float64(len(d.numbers)) }),
	}
	columns := []table.Column{
		table.Words("Results", "results").AsIdentity(), table.Words("Scenario", "scenario"), table.Numbers("Analytics", "analytics", 0),
		table.Numbers("Pairs of samples", "pairs", 0).Ranked(5),
	}
	for _, m := range measures() {
		low, high := m.name+"_low", m.name+"_high"
		fields = append(fields,
			table.Number(m.name, func(d differing) float64 { return d.difference(m.of).Mean }),
			table.Number(low, func(d differing) float64 { return d.difference(m.of).Interval.LowEnd() }),
			table.Number(high, func(d differing) float64 { return d.difference(m.of).Interval.HighEnd() }))
		columns = append(columns, signed(m.title, m.name).Ranked(m.rank),
			table.Intervals("95 % interval of "+m.title, low, high, decimals, "").Ranked(m.rank+1))
	}
	t, err = newTable(all, fields, columns)
	return t, true, err
}

// signed is a column of differences.
func signed(title, name string) table.Column {
	c := table.Numbers(title, name, decimals)
	c.Show = func(r table.Row) string { return signedText(r.Number(name)) }
	return c
}

// signedText is a difference with its sign.
func signedText(v float64) string {
	text := table.Fixed(v, decimals)
	if v > 0 && strings.Trim(text, "0.") != "" {
		return "+" + text
	}
	return text
}
