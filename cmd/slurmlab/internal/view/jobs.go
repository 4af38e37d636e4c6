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

// common are the columns of both lists, with the nodes that jobs take.
func common(nodes func(*watch.Look, watch.Job) int) []column {
	number := func(of func(*watch.Look, watch.Job) int) func(*watch.Look, watch.Job) string {
		return func(l *watch.Look, j watch.Job) string { return strconv.Itoa(of(l, j)) }
	}
	return []column{
		{head: "JOB", width: 6, cell: func(l *watch.Look, j watch.Job) string {
			if l.ByName {
				return j.Name
			}
			return strconv.Itoa(j.ID)
		}},
		{head: "NAME", width: 10, left: true, from: 100, cell: func(_ *watch.Look, j watch.Job) string { return j.Name }},
		{head: "NODES", width: 5, from: 50, cell: number(nodes)},
		{head: "CORES", width: 5, cell: number(func(_ *watch.Look, j watch.Job) int { return j.Cores })},
		// Cores are over all nodes, and so are GPUs, which Slurm counts per node.
		{head: "GPUS", width: 5, from: 50, cell: number(func(l *watch.Look, j watch.Job) int { return j.GPUs * nodes(l, j) })},
	}
}

func queueColumns() []column {
	return append(common((*watch.Look).Least),
		column{head: "WAITED", width: 6, cell: func(l *watch.Look, j watch.Job) string { return watch.Span(l.Now.Virtual.Sub(j.Submit)) }},
		column{head: "LIMIT", width: 6, from: 70, cell: func(_ *watch.Look, j watch.Job) string { return limit(j) }},
		column{head: "WAITS FOR", left: true, cell: func(l *watch.Look, j watch.Job) string { return l.Waits(j) }},
	)
}

func runningColumns() []column {
	return append(common(func(_ *watch.Look, j watch.Job) int { return j.Nodes }),
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

// list is the queue or the running jobs as it is drawn.
type list struct {
	title   string
	columns []column
	jobs    []watch.Job
	count   int // of the jobs, of which the look may list fewer
}

// jobs are the queue and the running jobs on so many lines. A list that needs fewer than its half leaves the rest to the other
// one. The last column goes on below itself if there are lines for all jobs, and is cut otherwise.
func (d *drawing) jobs(l *watch.Look, lines int) {
	queue := list{title: text.Plural(l.Waiting, "job") + " waiting", columns: d.shown(queueColumns(), l), jobs: l.Queue, count: l.Waiting}
	running := list{title: text.Plural(l.Active, "job") + " running", columns: d.shown(runningColumns(), l), jobs: l.Running, count: l.Active}
	whole := d.needs(l, queue, true)+d.needs(l, running, true) <= lines
	forQueue := min(d.needs(l, queue, whole), max(lines/2, lines-d.needs(l, running, whole)))
	d.list(l, queue, forQueue, whole)
	d.list(l, running, lines-forQueue, whole)
}

// shown are the columns for which the frame has room.
func (d *drawing) shown(all []column, l *watch.Look) (columns []column) {
	for _, c := range all {
		// Names of a run's jobs are their numbers, which stand in the first column.
		if d.width >= c.from && (c.head != "NAME" || !l.ByName) {
			columns = append(columns, c)
		}
	}
	return columns
}

// needs is how many lines a list takes, whole or with each job on one.
func (d *drawing) needs(l *watch.Look, of list, whole bool) int {
	const heads = 2 // its title, and the titles of its columns
	if !whole || len(of.jobs) == 0 {
		return heads + max(1, len(of.jobs))
	}
	lines := heads
	for _, j := range of.jobs {
		lines += len(d.job(l, of.columns, j, true))
	}
	return lines
}

func (d *drawing) list(l *watch.Look, of list, lines int, whole bool) {
	if lines < 1 {
		return
	}
	shown := len(of.jobs)
	if !whole {
		shown = min(shown, max(0, lines-2))
	}
	title := of.title
	if 0 < shown && shown < of.count {
		title += fmt.Sprintf(", %d shown", shown)
	}
	d.add(bold.Render(title))
	if shown == 0 {
		return
	}
	d.add(faint.Render(d.row(of.columns, func(c column) string { return c.head })))
	for _, j := range of.jobs[:shown] {
		d.add(d.job(l, of.columns, j, whole)...)
	}
}

// job is a job's line; whole are as many lines as its last cell takes.
func (d *drawing) job(l *watch.Look, columns []column, j watch.Job, whole bool) []string {
	line := d.row(columns, func(c column) string { return text.Printable(c.cell(l, j)) })
	last := 0 // where the last cell begins
	for _, c := range columns[:len(columns)-1] {
		last += c.width + len("  ")
	}
	if !whole || ansi.StringWidth(line) <= d.width || last >= d.width {
		return []string{line}
	}
	begin, cell := ansi.Truncate(line, last, ""), ansi.TruncateLeft(line, last, "")
	lines := strings.Split(ansi.Wrap(cell, d.width-last, ""), "\n")
	for i := range lines {
		lines[i], begin = begin+lines[i], strings.Repeat(" ", last)
	}
	return lines
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
