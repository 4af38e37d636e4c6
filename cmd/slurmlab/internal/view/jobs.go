package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/internal/text"
)

// column is one of a list of jobs. The last one of a list takes the width that is left.
type column struct {
	head string
	// width of its cells. left aligns a column of texts to the left; numbers stand on the right.
	width int
	left  bool
	// from is the width of a frame from which on it is shown.
	from int
	cell func(l *watch.Look, j watch.Job) string
}

func common() []column {
	number := func(of func(watch.Job) int) func(*watch.Look, watch.Job) string {
		return func(_ *watch.Look, j watch.Job) string { return strconv.Itoa(of(j)) }
	}
	return []column{
		{head: "JOB", width: 6, cell: func(l *watch.Look, j watch.Job) string {
			if l.ByName {
				return j.Name
			}
			return strconv.Itoa(j.ID)
		}},
		{head: "NAME", width: 10, left: true, from: 100, cell: func(_ *watch.Look, j watch.Job) string { return j.Name }},
		{head: "NODES", width: 5, from: 50, cell: number(func(j watch.Job) int { return j.Nodes })},
		{head: "CORES", width: 5, cell: number(func(j watch.Job) int { return j.Cores })},
		{head: "GPUS", width: 4, from: 50, cell: number(func(j watch.Job) int { return j.GPUs })},
	}
}

func queueColumns() []column {
	return append(common(),
		column{head: "WAITED", width: 6, cell: func(l *watch.Look, j watch.Job) string { return watch.Span(l.Now.Virtual.Sub(j.Submit)) }},
		column{head: "LIMIT", width: 6, from: 70, cell: func(_ *watch.Look, j watch.Job) string { return limit(j) }},
		column{head: "WAITS FOR", left: true, cell: func(l *watch.Look, j watch.Job) string { return l.Waits(j) }},
	)
}

func runningColumns() []column {
	return append(common(),
		column{head: "RUNS", width: 6, cell: func(l *watch.Look, j watch.Job) string { return watch.Span(l.Now.Virtual.Sub(j.Start)) }},
		column{head: "LIMIT", width: 6, from: 70, cell: func(_ *watch.Look, j watch.Job) string { return limit(j) }},
		column{head: "ON", left: true, cell: func(_ *watch.Look, j watch.Job) string {
			if j.State != "RUNNING" {
				return strings.ToLower(j.State) + " " + j.NodeList
			}
			return j.NodeList
		}},
	)
}

func limit(j watch.Job) string {
	if j.Limit == 0 {
		return "-"
	}
	return watch.Span(j.Limit)
}

// jobs are the queue and the running jobs on so many lines. A list that needs fewer than
// its half leaves the rest to the other one.
func (d *drawing) jobs(l *watch.Look, lines int) {
	const heads = 2 // of a list: its title, and the titles of its columns
	queue, running := max(1, len(l.Queue))+heads, max(1, len(l.Running))+heads
	forQueue := min(queue, max(lines/2, lines-running))
	d.list(fmt.Sprintf("%s waiting", text.Plural(l.Waiting, "job")), l, l.Queue, queueColumns(), l.Waiting, forQueue)
	d.list(fmt.Sprintf("%s running", text.Plural(l.Active, "job")), l, l.Running, runningColumns(), l.Active, lines-forQueue)
}

func (d *drawing) list(title string, l *watch.Look, jobs []watch.Job, all []column, count, lines int) {
	if lines < 1 {
		return
	}
	shown := min(len(jobs), max(0, lines-2))
	if 0 < shown && shown < count {
		title += fmt.Sprintf(", %d shown", shown)
	}
	d.add(bold.Render(title))
	if shown == 0 {
		return
	}
	var columns []column
	for _, c := range all {
		// Names of a run's jobs are their numbers, which stand in the first column.
		if d.width >= c.from && (c.head != "NAME" || !l.ByName) {
			columns = append(columns, c)
		}
	}
	d.add(faint.Render(d.row(columns, func(c column) string { return c.head })))
	for _, j := range jobs[:shown] {
		d.add(d.row(columns, func(c column) string { return text.Printable(c.cell(l, j)) }))
	}
}

func (d *drawing) row(columns []column, text func(column) string) string {
	var out strings.Builder
	for i, c := range columns {
		if i > 0 {
			out.WriteString("  ")
		}
		cell := text(c)
		if c.width == 0 {
			out.WriteString(cell)
			continue
		}
		cell = ansi.Truncate(cell, c.width, "…")
		pad := strings.Repeat(" ", c.width-ansi.StringWidth(cell))
		if c.left {
			out.WriteString(cell + pad)
		} else {
			out.WriteString(pad + cell)
		}
	}
	return out.String()
}
