package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/emulator/watch"
)

// wholeTerminal is the whole terminal, on which the runs of a command are watched.
type wholeTerminal struct {
	program *tea.Program
	// over is closed when the user has left, or the program was ended.
	over chan struct{}
	// groups are the runs that are shown together.
	groups [][]int
	// orders are those for the clock of each run.
	orders []chan string
	// lines are those that stay on the terminal, for afterwards.
	lines []string
	// began are the virtual starts of the runs, as far as they are known.
	began map[int]time.Time
}

// raise takes the whole terminal for the runs, in the groups that are shown together. Without
// one, and when the user leaves it, the board is as it is without it.
func (b *board) raise(ctx context.Context, s *State, runs []progress.Run, groups [][]int) {
	in, out, ok := s.terminals(s.Stderr)
	if !ok || !b.terminal {
		return
	}
	w := &wholeTerminal{over: make(chan struct{}), groups: groups, began: map[int]time.Time{}}
	settings := view.Settings{
		Leaving:   "back to the line that says how far the runs are; they go on",
		Interrupt: s.Interrupt,
		Clock:     w.order,
	}
	for _, r := range runs {
		settings.Names = append(settings.Names, r.Name)
		w.orders = append(w.orders, make(chan string, fewOrders))
	}
	// The end of ctx does not end the picture: what is being collected is shown.
	w.program = tea.NewProgram(view.New(settings), tea.WithContext(context.WithoutCancel(ctx)), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	b.erase()
	b.mu.Lock()
	b.whole = w
	b.mu.Unlock()
	go func() {
		_, err := w.program.Run()
		if err != nil {
			w.lines = append(w.lines, fmt.Sprintf("the runs cannot be shown on the whole terminal: %v", err))
		}
		b.mu.Lock()
		b.whole = nil
		// What was said meanwhile is said again, where it stays.
		b.draw(w.lines, time.Now())
		b.mu.Unlock()
		close(w.over)
	}()
}

// lower gives the terminal back.
func (b *board) lower() {
	b.mu.Lock()
	w := b.whole
	b.mu.Unlock()
	if w == nil {
		return
	}
	w.program.Quit()
	<-w.over
}

// show hands what is new to the program.
func (w *wholeTerminal) show(m *progress.Model, lines []string, head string) {
	w.lines = append(w.lines, lines...)
	if len(lines) > 0 {
		w.program.Send(view.Note{Text: lines[len(lines)-1]})
	}
	w.program.Send(view.Head{Line: head})
	running, over := m.Running()
	next := view.Show{Over: over}
	for _, group := range w.groups {
		if slices.ContainsFunc(group, func(i int) bool { return slices.Contains(running, i) }) {
			next.Groups = append(next.Groups, group)
		}
	}
	// Between two runs the last one stays.
	if len(next.Groups) > 0 {
		w.program.Send(next)
	}
}

// fewOrders are those that may be on their way to a run.
const fewOrders = 8

// order gives an order to the clock of run i, unless too many are on their way.
func (w *wholeTerminal) order(i int, order string) {
	select {
	case w.orders[i] <- order:
	default:
	}
}

// begin tells the program from when on the time of run i counts. Runs that are shown together are
// looked at at the same times after it.
func (w *wholeTerminal) begin(i int, at time.Time) {
	if at.IsZero() || at.Equal(w.began[i]) {
		return
	}
	w.began[i] = at
	if slices.ContainsFunc(w.groups, func(group []int) bool { return len(group) > 1 && slices.Contains(group, i) }) {
		w.order(i, watch.OrderFrom(at))
	}
	w.program.Send(view.Began{Cluster: i, At: at})
}

// watcher looks at run i for the whole terminal, nil without one.
func (b *board) watcher(i int) *run.Watcher {
	b.mu.Lock()
	w := b.whole
	b.mu.Unlock()
	if w == nil {
		return nil
	}
	return &run.Watcher{
		See:    func(l watch.Look) { w.program.Send(view.Look{Cluster: i, Look: l}) },
		Orders: w.orders[i], Over: w.over,
	}
}

// groups are the runs that are shown together: each by itself, or runs of a comparison that have the same jobs.
func (e *execution) groups(configs []run.Config) [][]int {
	var groups [][]int
	known := map[string]int{}
	for i, c := range configs {
		window, _ := c.Workload.Window()
		key := fmt.Sprintf("%s %d %d", c.Workload.Name(), window, c.Seed)
		if at, is := known[key]; is && e.paired {
			groups[at] = append(groups[at], i)
			continue
		}
		known[key] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

func (e *execution) uiFlag(cmd *cobra.Command) {
	declare(cmd, headResults, flag("ui", &e.ui, false, `show the runs on the whole terminal, as "slurmlab top" does, where there is one`).usual())
}

// quietFlag adds --quiet to a command that carries runs out.
func (e *execution) quietFlag(cmd *cobra.Command) {
	declare(cmd, headFlags, flag("quiet", &e.quiet, false, "do not say how far the runs are").short("q").usual())
}

// checkUI is the fault of --ui beside other flags.
func (e *execution) checkUI() error {
	if e.ui && e.quiet {
		return errors.New("ui: has no effect with --quiet; leave one of them out")
	}
	return nil
}
