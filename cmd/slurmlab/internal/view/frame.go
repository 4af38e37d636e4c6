package view

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/internal/text"
)

// Smallest is the size below which a frame would say nothing.
const (
	smallestWidth  = 30
	smallestHeight = 8
)

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	alarm = lipgloss.NewStyle().Foreground(lipgloss.Color("1")).Bold(true)
)

// Frame draws the newest look of a history and what went before it, as height lines of at most width columns. name is
// the cluster's.
func Frame(name string, h *History, width, height int) []string {
	d := &drawing{width: width}
	l := h.Last()
	switch {
	case width < smallestWidth || height < smallestHeight:
		d.add(fmt.Sprintf("too small: %d x %d", width, height))
	case l == nil:
		d.add(bold.Render(text.Printable(name)), "", "waiting for the first look at the cluster")
	default:
		d.head(name, h, l)
		d.machine(l, height)
		d.curves(h, l)
		d.agent(l)
		d.jobs(l, height-len(d.lines))
	}
	return d.fit(height)
}

// drawing is a frame that is being drawn.
type drawing struct {
	width int
	lines []string
}

func (d *drawing) add(lines ...string) { d.lines = append(d.lines, lines...) }

// fit cuts the lines to the width and brings their number to the height.
func (d *drawing) fit(height int) []string {
	lines := make([]string, max(0, height))
	for i := range min(len(lines), len(d.lines)) {
		lines[i] = ansi.Truncate(d.lines[i], d.width, "…")
	}
	return lines
}

// head is the cluster's name, its time and its scheduler, and what is wrong.
func (d *drawing) head(name string, h *History, l *watch.Look) {
	parts := []string{bold.Render(text.Printable(name)), l.Now.Virtual.UTC().Format("2006-01-02 15:04:05")}
	if past := h.Past(); past > 0 {
		parts = append(parts, "+"+watch.Span(past))
	}
	if h.remark != "" {
		parts = append(parts, bold.Render("("+h.remark+")"))
	}
	d.flow(append(parts, clockText(h, l), text.Printable(l.Policy), l.Priority))
	if l.Fault != "" {
		d.add(alarm.Render("Slurm does not answer: ") + text.Printable(l.Fault))
	}
}

// flow joins parts by two blanks, and begins a line where the next part does not fit.
func (d *drawing) flow(parts []string) {
	line := ""
	for _, p := range parts {
		switch {
		case line == "":
			line = p
		case ansi.StringWidth(line)+2+ansi.StringWidth(p) > d.width:
			d.add(line)
			line = "  " + p
		default:
			line += "  " + p
		}
	}
	d.add(line)
}

// clockText says how fast the clock is.
func clockText(h *History, l *watch.Look) string {
	text := l.Clock + " clock"
	if l.Held {
		text += " held"
	}
	switch speed := h.Speed(); {
	case speed == 0:
		return text
	case speed < 10:
		return text + fmt.Sprintf(" %.1fx", speed)
	default:
		return text + fmt.Sprintf(" %.0fx", speed)
	}
}

// machine is what is in use, in numbers and node by node.
func (d *drawing) machine(l *watch.Look, height int) {
	cores, gpus := l.Cores(), l.GPUs()
	const label = len("cores ")
	columns := d.width - label
	rows := 1
	if height >= 24 {
		rows = 3
	}
	shares, per := strip(l.Nodes, columns*rows, func(n watch.Nodes) (int, int) { return n.UsedCores, n.Cores })
	nodes := text.Plural(l.Size(), "node")
	if out := l.Outside(); out > 0 {
		nodes += ", " + alarm.Render(fmt.Sprintf("%d out of service", out))
	}
	parts := []string{nodes, fmt.Sprintf("cores %d of %d, %s", cores.Used, cores.All, percent(cores))}
	if gpus.All > 0 {
		parts = append(parts, fmt.Sprintf("GPUs %d of %d, %s", gpus.Used, gpus.All, percent(gpus)))
	}
	if per > 1 {
		parts = append(parts, faint.Render(fmt.Sprintf("a mark is %d nodes", per)))
	}
	d.flow(parts)
	d.strip("cores ", shares, columns)
	if gpus.All > 0 {
		shares, _ = strip(l.Nodes, columns*rows, func(n watch.Nodes) (int, int) { return n.UsedGPUs, n.GPUs })
		d.strip("GPUs  ", shares, columns)
	}
}

func (d *drawing) strip(label string, shares []float64, columns int) {
	for len(shares) > 0 {
		n := min(columns, len(shares))
		d.add(label + paint(shares[:n]))
		label, shares = strings.Repeat(" ", len(label)), shares[n:]
	}
}

func percent(u watch.Use) string { return fmt.Sprintf("%.0f %%", 100*u.Share()) }

// curves are the use of cores and GPUs and the length of the queue over time.
func (d *drawing) curves(h *History, l *watch.Look) {
	const least = 60 // columns with room for three curves in a line
	type curve struct {
		label, now string
		top        float64
		value      func(*watch.Look) float64
	}
	all := []curve{{"cores", percent(l.Cores()), 1, func(l *watch.Look) float64 { return l.Cores().Share() }}}
	if l.GPUs().All > 0 {
		all = append(all, curve{"GPUs", percent(l.GPUs()), 1, func(l *watch.Look) float64 { return l.GPUs().Share() }})
	}
	all = append(all, curve{"queue", fmt.Sprint(l.Waiting), 0, func(l *watch.Look) float64 { return float64(l.Waiting) }})
	if d.width < least {
		all = all[len(all)-1:]
	}
	room := d.width/len(all) - len("cores ") - len(" 100 %  ")
	var line strings.Builder
	for _, c := range all {
		drawn := spark(h.curve(max(1, room), c.value), c.top)
		cell := fmt.Sprintf("%s %s %s", c.label, drawn, c.now)
		line.WriteString(cell + strings.Repeat(" ", max(1, d.width/len(all)-ansi.StringWidth(cell))))
	}
	d.add(strings.TrimRight(line.String(), " "))
}

// agent is the last decision, and what went wrong since.
func (d *drawing) agent(l *watch.Look) {
	a := l.Agent
	if a == nil {
		return
	}
	if c := a.Decision; c == nil {
		d.flow([]string{"auction", "none yet"})
	} else {
		d.flow(decision(c, l))
	}
	if e := a.Error; e != nil && !e.Over {
		d.add(alarm.Render(fmt.Sprintf("cycle %d failed: ", e.Cycle)) + text.Printable(e.Text))
	}
}

func decision(c *watch.Cycle, l *watch.Look) []string {
	what := "auction"
	if c.Bids == 0 {
		what = "decision"
	}
	parts := []string{fmt.Sprintf("%s in cycle %d, %s ago", what, c.Number, watch.Span(l.Now.Virtual.Sub(c.Ended.Virtual))),
		fmt.Sprintf("%d of %s", c.Window, text.Plural(max(c.Pending, c.Window), "job"))}
	if c.Bids > 0 {
		parts = append(parts, text.Plural(c.Bids, "bid"))
	}
	winners := text.Plural(c.Released+c.Refused+c.Deferred, "winner")
	if c.Refused > 0 {
		winners += fmt.Sprintf(", %d refused", c.Refused)
	}
	if c.Deferred > 0 {
		winners += fmt.Sprintf(", %d deferred", c.Deferred)
	}
	parts = append(parts, winners)
	if c.Solver != "" {
		text := c.Solver
		if c.Gap > 0 {
			text += fmt.Sprintf(", gap %.2g %%", 100*c.Gap)
		}
		parts = append(parts, text)
	}
	return append(parts, fmt.Sprintf("solved in %.0f ms of %.0f", c.SolveMS, c.TotalMS))
}
