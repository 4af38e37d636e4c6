package djsb

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// contest is two scenarios of a side with the same number of analytics, by one metric.
type contest struct {
	// Estimate is that of second - first.
	Estimate
	// winner is 1 where the second one is better, -1 where the first one is, and 0 where they do not differ
	// significantly. That is where the interval of their difference has 0 in it, or where the difference is no more
	// than a second of all jobs would make. Slurm's times are whole seconds, and a few samples may agree by rounding
	// alone.
	winner int
}

// rounding is what arithmetic may add to a difference of exactly a second.
const rounding = 1e-9

// contest puts two scenarios that the side has beside each other.
func (s Side) contest(m measure, analyses int, first, second djsbconfig.Scenario) contest {
	a, _ := s.summary(first, analyses)
	b, _ := s.summary(second, analyses)
	pairs := besides(a, b)
	c := contest{Estimate: pairs.difference(m.of)}
	switch {
	case c.Interval == nil || math.Abs(c.Mean) <= pairs.aSecond(m.of)+rounding:
	case c.Interval.Low > 0:
		c.winner = int(m.sign)
	case c.Interval.High < 0:
		c.winner = -int(m.sign)
	}
	return c
}

// String is the difference with its interval.
func (c contest) String() string {
	text := signedText(c.Mean)
	if c.Interval != nil {
		text += " [" + signedText(c.Interval.Low) + ", " + signedText(c.Interval.High) + "]"
	}
	return text
}

// order lists scenarios that the side has, the best one first. Between neighbours stands > where
// they are told apart, ~ where they are not.
func (s Side) order(m measure, analyses int, scenarios []djsbconfig.Scenario) string {
	mean := func(scenario djsbconfig.Scenario) float64 {
		sum, _ := s.summary(scenario, analyses)
		return m.mean(sum)
	}
	sorted := slices.Clone(scenarios)
	slices.SortStableFunc(sorted, func(a, b djsbconfig.Scenario) int { return cmp.Compare(m.sign*mean(b), m.sign*mean(a)) })
	text := string(sorted[0])
	for i, next := range sorted[1:] {
		sign := " ~ "
		if s.contest(m, analyses, sorted[i], next).winner < 0 {
			sign = " > "
		}
		text += sign + string(next)
	}
	return text
}

// orders are the orders of the scenarios by one metric with one number of analytics, in a side
// with real applications and in one with emulated ones.
type orders struct {
	real, emulated Side
	measure        measure
	analyses       int
	scenarios      []djsbconfig.Scenario
}

// ordersOf returns the orders of all sides with real and with emulated applications of the same configuration.
func ordersOf(sides []Side) []orders {
	var out []orders
	for _, real := range sides {
		for _, emulated := range sides {
			if !real.Record.Real || emulated.Record.Real || !reflect.DeepEqual(shape(real.Record.Config), shape(emulated.Record.Config)) {
				continue
			}
			for _, m := range measures() {
				for _, n := range real.Record.Config.NumOfDynAnalysis {
					o := orders{real, emulated, m, n, slices.DeleteFunc(slices.Clone(real.Record.Config.Scenarios), func(s djsbconfig.Scenario) bool {
						_, inReal := real.summary(s, n)
						_, inEmulated := emulated.summary(s, n)
						return !inReal || !inEmulated
					})}
					if n > 0 && len(o.scenarios) > 1 {
						out = append(out, o)
					}
				}
			}
		}
	}
	return out
}

// compare says whether the orders agree. Of each two scenarios of which they do not say the same
// it has a sentence in where, and in opposite if they say the opposite.
func (o orders) compare() (verdict string, where, opposite []string) {
	verdict = "nothing told apart"
	for i, first := range o.scenarios {
		for _, second := range o.scenarios[i+1:] {
			real, emulated := o.real.contest(o.measure, o.analyses, first, second), o.emulated.contest(o.measure, o.analyses, first, second)
			if real.winner == emulated.winner {
				if real.winner != 0 {
					verdict = "agree"
				}
				continue
			}
			how := "the opposite"
			switch {
			case real.winner == 0:
				how = "told apart by emulated applications alone"
			case emulated.winner == 0:
				how = "told apart by real applications alone"
			}
			sentence := fmt.Sprintf("%s with %d analytics, %s less %s: real %s, emulated %s; %s.", o.measure.title, o.analyses, second, first, real, emulated, how)
			where = append(where, sentence)
			if real.winner*emulated.winner < 0 {
				opposite = append(opposite, sentence)
			}
		}
	}
	switch {
	case len(opposite) > 0:
		verdict = "differ"
	case len(where) > 0 && verdict == "agree":
		verdict = "agree where both tell"
	case len(where) > 0:
		verdict = "told apart by one alone"
	}
	return verdict, where, opposite
}

// OrderTable has a row for each metric and each number of analytics of each two sides of which one
// has real applications and the other emulated ones of the same configuration. Of each two
// scenarios of which both say the opposite there is a sentence.
func OrderTable(sides []Side) (t table.Table, sentences []string, found bool, err error) {
	type row struct {
		orders
		verdict string
		where   []string
	}
	var all []row
	for _, o := range ordersOf(sides) {
		verdict, where, opposite := o.compare()
		all, sentences = append(all, row{o, verdict, where}), append(sentences, opposite...)
	}
	if len(all) == 0 {
		return table.Table{}, nil, false, nil
	}
	frame, err := table.NewFrame(all,
		table.Word("real", func(r row) string { return r.real.Name }),
		table.Word("emulated", func(r row) string { return r.emulated.Name }),
		table.Word("measure", func(r row) string { return r.measure.title }),
		table.Number("analytics", func(r row) float64 { return float64(r.analyses) }),
		table.Word("orders", func(r row) string { return r.verdict }),
		table.Word("real_order", func(r row) string { return r.real.order(r.measure, r.analyses, r.scenarios) }),
		table.Word("emulated_order", func(r row) string { return r.emulated.order(r.measure, r.analyses, r.scenarios) }),
		table.Word("where", func(r row) string { return strings.Join(r.where, " ") }),
	)
	if err != nil {
		return table.Table{}, nil, false, fmt.Errorf("make table: %w", err)
	}
	t, err = table.New(frame, table.Words("Real", "real").AsIdentity(), table.Words("Emulated", "emulated").AsIdentity(),
		table.Words("Measure", "measure"), table.Numbers("Analytics", "analytics", 0), table.Words("Orders", "orders"),
		table.Words("Order of real applications", "real_order").Ranked(1), table.Words("Order of emulated applications", "emulated_order").Ranked(1),
		// People read in both orders where one alone tells scenarios apart.
		table.Words("", "where"))
	return t, sentences, true, err
}
