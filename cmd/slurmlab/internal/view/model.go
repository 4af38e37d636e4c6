package view

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/internal/text"
)

// Settings of a Model.
type Settings struct {
	// Names of the clusters.
	Names []string
	// Clock gives an order to the clock of each cluster that is shown, see package watch.
	// It must not block.
	Clock func(cluster int, order string)
	// Interrupt is what Ctrl-C does; nil to leave.
	Interrupt func()
	// Leaving says in the help what leaving does.
	Leaving string
}

// Messages to a Model beside those of bubbletea.
type (
	// Look is a look at a cluster.
	Look struct {
		Cluster int
		Look    watch.Look
	}
	// Began is the virtual time from which the times of a cluster count.
	Began struct {
		Cluster int
		At      time.Time
	}
	// Head is the line above the frames, such as the progress.
	Head struct{ Line string }
	// Show chooses the clusters that are shown. The clusters of a group are shown at the same virtual time after
	// their beginning: the latest at which each has a look or has ended. What was seen of others is forgotten.
	Show struct {
		Groups [][]int
		// Over are the clusters that have ended.
		Over []int
	}
	// Note is a line that is shown above the keys until the next one.
	Note struct{ Text string }
	// End ends the program.
	End struct{}
)

// Model is a program of bubbletea.
type Model struct {
	settings      Settings
	histories     []*History
	show          Show
	head          string
	note          string
	width, height int
	help          bool
	// frozen are the histories at the moment at which the user froze the picture, nil if
	// it is not frozen.
	frozen []*History
}

// New is a Model that shows the first cluster.
func New(s Settings) *Model {
	m := &Model{settings: s, show: Show{Groups: [][]int{{0}}}}
	for range s.Names {
		m.histories = append(m.histories, &History{})
	}
	return m
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	case Look:
		m.histories[msg.Cluster].Add(msg.Look)
	case Began:
		if h := m.histories[msg.Cluster]; h.Started() && !h.Began().Equal(msg.At) {
			// The run is made again.
			*h = History{}
		}
		m.histories[msg.Cluster].Begin(msg.At)
	case Head:
		m.head = msg.Line
	case Show:
		m.show = msg
		for i, h := range m.histories {
			if !slices.Contains(msg.clusters(), i) {
				*h = History{}
			}
		}
	case Note:
		m.note = msg.Text
	case End:
		return m, tea.Quit
	}
	return m, nil
}

// clusters returns the clusters of all groups.
func (s Show) clusters() []int { return slices.Concat(s.Groups...) }

func (m *Model) key(key string) tea.Cmd {
	switch key {
	case "q", "esc":
		if m.help {
			m.help = false
			return nil
		}
		return tea.Quit
	case "ctrl+c":
		if m.settings.Interrupt == nil {
			return tea.Quit
		}
		m.settings.Interrupt()
	case "?", "h":
		m.help = !m.help
	case "p", "space":
		m.freeze()
	case "+", "=", "f":
		m.order(watch.OrderGo, "the clock skips what is idle")
	case "-", "s":
		m.order(watch.OrderHold, "the clock is held at the speed of real time")
	}
	return nil
}

// freeze keeps the picture as it is, and holds the clocks that can be held, or ends that.
func (m *Model) freeze() {
	if m.frozen != nil {
		m.frozen = nil
		m.tell(watch.OrderResume)
		m.note = "the picture goes on"
		return
	}
	for _, h := range m.histories {
		still := *h
		still.looks = slices.Clone(h.looks)
		m.frozen = append(m.frozen, &still)
	}
	m.note = "the picture is frozen; the cluster goes on, since only a jump clock can be held"
	if m.tell(watch.OrderPause) {
		m.note = "the picture is frozen, and the clock held at the speed of real time"
	}
}

// order changes the speed of the clocks of the clusters that are shown.
func (m *Model) order(order, done string) {
	m.note = done
	if !m.tell(order) {
		m.note = "only a jump clock has two speeds; this one goes at its own"
	}
}

// tell gives an order to the jump clocks of the clusters that are shown, and reports whether there
// is any.
func (m *Model) tell(order string) bool {
	told := false
	for _, i := range m.show.clusters() {
		if l := m.histories[i].Last(); l != nil && l.Clock == "jump" && !slices.Contains(m.show.Over, i) {
			m.settings.Clock(i, order)
			told = true
		}
	}
	return told
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.Lines(), "\n"))
	v.AltScreen = true
	return v
}

// Lines are the picture, as many as the terminal is high.
func (m *Model) Lines() []string {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	lines := make([]string, 0, m.height)
	if m.help {
		lines = append(lines, m.helpText()...)
	} else {
		// The head may not push the frames away.
		if m.head != "" && m.height > smallestHeight {
			lines = append(lines, ansi.Truncate(text.Printable(m.head), m.width, "…"))
		}
		lines = append(lines, m.frames(m.height-len(lines)-m.foot())...)
	}
	lines = append(lines, make([]string, max(0, m.height-m.foot()-len(lines)))...)[:max(0, m.height-m.foot())]
	if m.note != "" && m.foot() > 1 {
		lines = append(lines, ansi.Truncate(bold.Render(text.Printable(m.note)), m.width, "…"))
	}
	return append(lines, ansi.Truncate(m.keys(), m.width, "…"))
}

// foot is the number of lines below the frames.
func (m *Model) foot() int {
	if m.note != "" && m.height > smallestHeight {
		return 2
	}
	return 1
}

func (m *Model) keys() string {
	text := "q leave  ? help  p pause"
	if m.frozen != nil {
		text = "q leave  ? help  p go on (frozen)"
	}
	for _, i := range m.show.clusters() {
		if l := m.histories[i].Last(); l != nil && l.Clock == "jump" {
			return faint.Render(text + "  + faster  - slower")
		}
	}
	return faint.Render(text)
}

func (m *Model) helpText() []string {
	lines := []string{
		bold.Render("What is shown"),
		"cores, GPUs  one mark for each node, or for several neighbours:",
		"             · nothing in use, ▁ to ▇ a part, █ all, × out of service",
		"curves       the same over virtual time, and the jobs that wait",
		"speed        virtual seconds in a real one, between the last two looks",
		"NODES        the fewest that a waiting job can take",
		"CORES, GPUS  on all nodes of a job",
		"WAITS FOR    what the agent or Slurm says, and what is not free for the job",
		"",
		bold.Render("Keys"),
		"q, Esc       " + m.settings.Leaving,
	}
	if m.settings.Interrupt != nil {
		lines = append(lines, "Ctrl-C       stop the command, as without --ui")
	}
	return append(lines,
		"p, space     freeze the picture and hold a jump clock at the speed of real",
		"             time, and go on",
		"+            a jump clock skips what is idle",
		"-            a jump clock keeps to the speed of real time",
		"?, h         this page",
	)
}

// frames are the frames of the clusters that are shown, next to each other, as far as there is width for them, and
// below each other otherwise.
func (m *Model) frames(height int) []string {
	histories := m.histories
	if m.frozen != nil {
		histories = m.frozen
	}
	var names []string
	var list []*History
	for _, group := range m.show.Groups {
		of := make([]*History, len(group))
		for k, i := range group {
			names, of[k] = append(names, m.settings.Names[i]), histories[i]
		}
		if len(group) > 1 {
			of = align(of, func(k int) bool { return slices.Contains(m.show.Over, group[k]) })
		}
		list = append(list, of...)
	}
	return Beside(names, list, m.width, height)
}

// mostBack is the real time for which the picture stands still rather than show runs at
// different times. Of a run that was much faster, or of a long one, there are few looks, and the
// picture goes on without one of the same time.
const mostBack = 8 * time.Second

// align cuts histories at the latest time after their beginning that all that are not over have
// reached and of which there are looks at all that have not ended before. Where there is none, a
// history is cut at its nearest look, and says so.
func align(list []*History, over func(int) bool) []*History {
	least := -1
	for k, h := range list {
		if !over(k) && h.Last() != nil && (least < 0 || h.Past() < list[least].Past()) {
			least = k
		}
	}
	if least < 0 {
		return list
	}
	lead := list[least]
	matched := func(past time.Duration) bool {
		for k, h := range list {
			if h.Last() == nil || over(k) && h.Past() < past {
				continue
			}
			if _, off := h.nearest(past); off > sameTime {
				return false
			}
		}
		return true
	}
	common := lead.Past()
	for _, l := range slices.Backward(lead.looks) {
		if lead.Last().Now.Real.Sub(l.Now.Real) > mostBack {
			break
		}
		if past := l.Now.Virtual.Sub(lead.Began()); matched(past) {
			common = past
			break
		}
	}
	cut := make([]*History, len(list))
	for k, h := range list {
		cut[k] = h.At(common)
	}
	return cut
}

// sideWidth is the least width of a frame that has another one beside it.
const sideWidth = 56

// Beside draws the frames of clusters beside each other, below each other where the width
// is too small, and as many as there is room for.
func Beside(names []string, histories []*History, width, height int) []string {
	n := len(histories)
	if n == 0 || height <= 0 {
		return make([]string, max(0, height))
	}
	across := max(1, min(n, width/sideWidth))
	down := max(1, min((n+across-1)/across, height/(2*smallestHeight)))
	across = min(across, n)
	var lines []string
	for row := range down {
		first := row * across
		last := min(n, first+across)
		tall := height / down
		if row == down-1 {
			tall = height - len(lines)
		}
		lines = append(lines, beside(names[first:last], histories[first:last], width, tall, across)...)
	}
	if shown := across * down; shown < n {
		lines[len(lines)-1] = ansi.Truncate(faint.Render(text.Plural(n-shown, "cluster")+" more"), width, "…")
	}
	return lines
}

// between is what separates frames.
const between = " │ "

func beside(names []string, histories []*History, width, height, across int) []string {
	one := (width - (across-1)*ansi.StringWidth(between)) / across
	lines := make([]string, height)
	for k, h := range histories {
		for i, line := range Frame(names[k], h, one, height) {
			if k > 0 {
				lines[i] += faint.Render(between)
			}
			lines[i] += line
			if k < len(histories)-1 {
				lines[i] += strings.Repeat(" ", one-ansi.StringWidth(line))
			}
		}
	}
	return lines
}
