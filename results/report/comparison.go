package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// comparison is the table of all runs, a column each; with exactly two runs
// that can be compared the last column is their difference.
type comparison struct {
	Columns    []column
	Difference string // header of the last column, empty for none
	Note       string
	Rows       []comparisonRow
}

type column struct {
	Policy, Name, Anchor, Status, Ends string
	Complete                           bool
	Warnings                           string
}

type comparisonRow struct {
	Name, Unit, Definition string
	Cells                  []string
	Difference             string
	// Class is "better", "worse" or empty.
	Class string
}

func newComparison(in Input, sections []runSection) comparison {
	runs := in.Runs
	var c comparison
	for i, s := range sections {
		col := column{Policy: s.Policy, Name: s.Name, Anchor: s.Anchor, Status: s.Status, Ends: s.Ends, Complete: runs[i].Complete()}
		if n := len(s.Warnings); n > 0 {
			col.Warnings = text.Plural(n, "warning")
		}
		c.Columns = append(c.Columns, col)
	}
	pair := len(runs) == 2 && runs[0].Complete() && runs[1].Complete() && runs[0].SameWork(runs[1])
	if pair {
		sides := trace.SidesOf(runs[0].Run.Settings, runs[1].Run.Settings)
		c.Difference = fmt.Sprintf("%s against %s", sides.B, sides.A)
		c.Note = fmt.Sprintf("One run of each %s: only replicas can tell how much of a difference is chance.", sides.Of)
		if len(in.Replicas) > 0 {
			c.Note = fmt.Sprintf("The runs of %s alone: the table above has all replicas.", runs[0].Run.Replica())
		}
	}
	for _, m := range metric.Measures() {
		row := comparisonRow{Name: m.Name, Unit: unitText(m), Definition: definition(m)}
		for _, r := range runs {
			cell := nothing
			if r.Metrics != nil {
				cell = show(m, *r.Metrics)
			}
			row.Cells = append(row.Cells, cell)
		}
		if pair {
			row.Difference, row.Class = difference(valueOf(m, *runs[0].Metrics), valueOf(m, *runs[1].Metrics), m)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// difference writes how to differs from from and says whether that is for the
// better: fractions in percentage points, others in per cent, and as a factor
// when it is more than ten. What rounds to nothing is neither better nor worse,
// and nothing is written where no difference exists.
func difference(from, to float64, m metric.Measure) (cell, class string) {
	change := 100 * (to - from)
	unit := " points"
	if m.Unit != metric.Percent {
		change /= math.Abs(from)
		unit = " %"
	}
	switch {
	case m.Better == metric.Neither || m.Subject == metric.OfEmulation || math.IsNaN(from) || math.IsNaN(to):
		return "", ""
	case from == to || math.Abs(change) < 0.05:
		return "0.0" + unit, ""
	case math.IsInf(change, 0):
		return "", ""
	case to > 10*from && m.Unit != metric.Percent:
		cell = "× " + text.Number(to/from)
	case change > 0:
		cell = "+" + text.Fixed(change, 1) + unit
	default:
		cell = text.Fixed(change, 1) + unit
	}
	if (change < 0) == (m.Better == metric.Lower) {
		return cell, "better"
	}
	return cell, "worse"
}

// tableView is a Table as the template shows it.
type tableView struct {
	Caption string
	Header  []cell
	Rows    []rowView
}

// rowView is a row of cells; one that is Marked stands out.
type rowView struct {
	Cells  []cell
	Marked bool
}

// cell is a text; Number aligns it to the right.
type cell struct {
	Text   string
	Number bool
}

// newTableView aligns the columns that hold numbers only.
func newTableView(t Table) tableView {
	v := tableView{Caption: t.Caption}
	numeric := make([]bool, len(t.Header))
	for c, text := range t.Header {
		numeric[c] = len(t.Rows) > 0
		for _, row := range t.Rows {
			numeric[c] = numeric[c] && row[c] != "" && strings.ContainsRune("0123456789+-±−–[", []rune(row[c])[0])
		}
		v.Header = append(v.Header, cell{text, numeric[c]})
	}
	for i, row := range t.Rows {
		out := rowView{Marked: slices.Contains(t.Marked, i)}
		for c, text := range row {
			out.Cells = append(out.Cells, cell{text, numeric[c]})
		}
		v.Rows = append(v.Rows, out)
	}
	return v
}
