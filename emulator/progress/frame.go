package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Frame returns what a terminal of that width shows now: a line for each run that is
// going and, of several runs, one for all of them.
func (m *Model) Frame(now time.Time, width int) []string {
	var lines []string
	if len(m.holders) > 0 {
		lines = append(lines, fmt.Sprintf("waiting for a free core, %s so far", text.Duration(now.Sub(m.since).Seconds())))
		for _, h := range m.holders {
			lines = append(lines, "  "+h)
		}
	}
	names := 0
	for _, r := range m.runs {
		// A third is enough for a name, and two thirds for what the run does.
		names = max(names, min(runewidth.StringWidth(r.name), width/3))
	}
	var rows []row
	for _, r := range m.runs {
		if r.live() && r.stage == Running {
			rows = append(rows, r.row(now, m.stopping))
		}
	}
	several := len(m.runs) > 1 && len(m.holders) == 0
	if several {
		rows = append(rows, m.all(now))
	}
	drawn := draw(rows, width-names-len("  "))
	for _, r := range m.runs {
		switch {
		case !r.live():
		case r.stage == Running:
			lines = append(lines, column(r.name, names)+"  "+drawn[0])
			drawn = drawn[1:]
		default:
			lines = append(lines, column(r.name, names)+"  "+r.does())
		}
	}
	if several {
		lines = append(lines, column("all", names)+"  "+drawn[0])
	}
	for i := range lines {
		lines[i] = fit(lines[i], width)
	}
	return lines
}

// row is what a line with a bar says.
type row struct {
	done, total int
	parts       []part
}

// part is a piece of a line; the piece of the lowest rank is left out first.
type part struct {
	text string
	rank int
}

// Ranks: the last piece to be left out, and the last one that the bar is worth more
// than.
const (
	topRank = 4
	barRank = 2
)

// Widths of the bar between its brackets.
const (
	longestBar  = 20
	shortestBar = 6
)

func (r run) row(now time.Time, stopping bool) row {
	end := r.left(now)
	if stopping {
		end = stoppingText
	}
	return row{r.counts.Done, r.total, []part{
		{fmt.Sprintf("%d running", r.counts.Running), 1}, {virtual(r.counts.Time), 3}, {r.speed(now), 2}, {end, 4},
	}}
}

const stoppingText = "stopping"

// all is the row of all runs.
func (m *Model) all(now time.Time) row {
	done, jobs, _ := m.sum()
	end := m.left(now)
	if m.stopping {
		end = stoppingText
	}
	return row{done, jobs, []part{{m.counted(), 3}, {end, 4}}}
}

// text has no parts of rank leave and lower; digits are those of a number of jobs.
func (r row) text(leave, digits int) string {
	text := fmt.Sprintf("%3d %%  %*d of %*d done", percent(share(r.done, r.total)), digits, r.done, digits, r.total)
	for _, part := range r.parts {
		if part.text != "" && part.rank > leave {
			text += "  " + part.text
		}
	}
	return text
}

// draw returns lines with as many parts as the width has room for, and a bar as long
// as the rest allows, the same in all of them.
func draw(all []row, width int) []string {
	digits := 0
	for _, r := range all {
		digits = max(digits, len(strconv.Itoa(r.total)))
	}
	lines := make([]string, len(all))
	for leave := range topRank + 1 {
		longest := 0
		for i, r := range all {
			lines[i] = r.text(leave, digits)
			longest = max(longest, runewidth.StringWidth(lines[i]))
		}
		if room := width - longest - len("[]  "); room >= shortestBar {
			for i, r := range all {
				lines[i] = bar(share(r.done, r.total), min(room, longestBar)) + "  " + lines[i]
			}
			return lines
		}
		if leave > barRank && longest <= width {
			break
		}
	}
	return lines
}

// column makes a text as wide as a column.
func column(text string, width int) string { return runewidth.FillRight(fit(text, width), width) }

// fit cuts what is too wide.
func fit(text string, width int) string {
	if runewidth.StringWidth(text) <= width {
		return text
	}
	return runewidth.Truncate(text, width, strings.Repeat(".", min(2, max(width, 0))))
}
