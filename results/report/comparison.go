package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// mostColumns is how many runs stand side by side in one table: as many as a page of 700 pixels shows.
const mostColumns = 5

// comparison is the section of the metrics of all runs, a column each; with exactly two runs
// that can be compared the last column is their difference. Metrics that no run has are counted below.
func comparison(in Input, runs []Section) Section {
	s := Section{Title: "Metrics", Class: "comparison", Tables: in.Tables, Warnings: pageWarnings(in, runs)}
	var note []string
	pair := len(in.Runs) == 2 && in.Runs[0].Complete() && in.Runs[1].Complete() && comparableIn(in.Runs)(in.Runs[0], in.Runs[1])
	sides := trace.Sides{}
	if pair {
		sides = trace.SidesOf(in.Runs[0].Run.Settings, in.Runs[1].Run.Settings)
		if len(in.Replicas) > 0 {
			note = append(note, fmt.Sprintf("The runs of %s alone: the table above has all replicas.", in.Runs[0].Run.Replica()))
		} else {
			note = append(note, fmt.Sprintf("One run of each %s: only replicas show how much of a difference is chance.", sides.Of))
		}
	}
	measures, without := knownMeasures(in.Runs)
	if len(without) > 0 && len(measures) > 0 {
		note = append(note, fmt.Sprintf("%s left out, because no run has a value: %s.", text.Plural(len(without), "metric"), strings.Join(without, "; ")))
	}
	for from := 0; from < len(in.Runs); from += mostColumns {
		to := min(from+mostColumns, len(in.Runs))
		t := Table{Class: "compared", Header: []Cell{word("Metric")}}
		for i := from; i < to; i++ {
			t.Header = append(t.Header, runHeading(in.Runs, i, runs[i]))
		}
		if pair {
			t.Header = append(t.Header, number(fmt.Sprintf("%s against %s", sides.B, sides.A)))
		}
		for _, m := range measures {
			row := []Cell{named(m.Name, unitText(m))}
			for _, r := range in.Runs[from:to] {
				row = append(row, number(show(m, r.Metrics)))
			}
			if pair {
				row = append(row, difference(valueOf(m, in.Runs[0].Metrics), valueOf(m, in.Runs[1].Metrics), m))
			}
			t.Rows = append(t.Rows, row)
		}
		s.Tables = append(s.Tables, t)
	}
	s.Tables[len(s.Tables)-1].Note = strings.Join(note, " ")
	return s
}

// runHeading is the heading of a run's column: its policy, with its machine and its events where these are not the same in all
// runs.
func runHeading(all []metric.Result, i int, s Section) Cell {
	r := all[i]
	heading := r.Run.Policy
	for _, of := range []func(metric.Result) string{
		func(r metric.Result) string { return r.Run.Machine.Name },
		func(r metric.Result) string { return r.Run.EventsLabel() },
	} {
		if slices.ContainsFunc(all, func(other metric.Result) bool { return of(other) != of(all[0]) }) {
			heading += ", " + of(r)
		}
	}
	c := Cell{Class: "number", Text: heading, Note: cmp.Or(r.Run.ID, s.Anchor), Link: s.Anchor}
	if !r.Complete() {
		c.Badges = append(c.Badges, string(r.Run.Status))
	}
	if ends := endsText(r); ends != "" {
		c.Badges = append(c.Badges, ends)
	}
	if n := len(s.Warnings); n > 0 {
		c.Badges = append(c.Badges, text.Plural(n, "warning"))
	}
	return c
}

// knownMeasures are the metrics that a run has, and the names of the others.
func knownMeasures(runs []metric.Result) (known []metric.Measure, without []string) {
	for _, m := range metric.Measures() {
		if slices.ContainsFunc(runs, func(r metric.Result) bool {
			return !math.IsNaN(valueOf(m, r.Metrics)) && (r.Run.Machine.GPUs > 0 || !m.GPU)
		}) {
			known = append(known, m)
		} else {
			without = append(without, m.Name)
		}
	}
	return known, without
}

// definitions is the section that says what the metrics of the page mean.
func definitions(runs []metric.Result) Section {
	s := Section{Title: "What the metrics mean", Class: "definitions", Words: []string{
		"slurmlab metrics --definitions says the same with sources, slurmlab glossary WORD explains words such as bid or packing.",
	}}
	known, _ := knownMeasures(runs)
	t := Table{Class: "definitions"}
	for _, m := range known {
		t.Rows = append(t.Rows, []Cell{name(m.Name), code(m.Key), soft(definition(m))})
	}
	s.Tables = []Table{t.withHeader("Metric", "In metrics.json", "Definition")}
	return s
}

// difference writes how to differs from from: fractions in percentage points, others in per cent, and as a factor when it
// is more than ten. It calls neither run better, as one pair has no verdict. Nothing is written where no difference
// exists.
func difference(from, to float64, m metric.Measure) Cell {
	change := 100 * (to - from)
	unit := " points"
	if m.Unit != metric.Percent {
		change /= math.Abs(from)
		unit = " %"
	}
	cell := number("")
	switch {
	case m.Better == metric.Neither || m.Subject == metric.OfEmulation || math.IsNaN(from) || math.IsNaN(to):
		return cell
	case from == to || math.Abs(change) < 0.05:
		cell.Text = "0.0" + unit
		return cell
	case math.IsInf(change, 0):
		return cell
	case to > 10*from && m.Unit != metric.Percent:
		cell.Text = "× " + text.Number(to/from)
	case change > 0:
		cell.Text = "+" + text.Fixed(change, 1) + unit
	default:
		cell.Text = text.Fixed(change, 1) + unit
	}
	return cell
}
