package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/emulator/watch"
)

// stage is the whole terminal, on which the runs of a command are watched.
type stage struct {
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
	st := &stage{over: make(chan struct{}), groups: groups, began: map[int]time.Time{}}
	settings := view.Settings{
		Leaving:   "back to the line that says how far the runs are; they go on",
		Interrupt: s.Interrupt,
		Clock:     st.order,
	}
	for _, r := range runs {
		settings.Names = append(settings.Names, r.Name)
		st.orders = append(st.orders, make(chan string, fewOrders))
	}
	// The end of ctx is not that of the picture: what is being collected is shown.
	st.program = tea.NewProgram(view.New(settings), tea.WithContext(context.WithoutCancel(ctx)), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	b.erase()
	b.mu.Lock()
	b.stage = st
	b.mu.Unlock()
	go func() {
		_, err := st.program.Run()
		if err != nil {
			st.lines = append(st.lines, fmt.Sprintf("the runs cannot be shown on the whole terminal: %v", err))
		}
		b.mu.Lock()
		b.stage = nil
		// What was said meanwhile is said again, where it stays.
		b.draw(st.lines, time.Now())
		b.mu.Unlock()
		close(st.over)
	}()
}

// lower gives the terminal back.
func (b *board) lower() {
	b.mu.Lock()
	st := b.stage
	b.mu.Unlock()
	if st == nil {
		return
	}
	st.program.Quit()
	<-st.over
}

// show hands what is new to the program.
func (st *stage) show(m *progress.Model, lines []string, head string) {
	st.lines = append(st.lines, lines...)
	if len(lines) > 0 {
		st.program.Send(view.Note{Text: lines[len(lines)-1]})
	}
	st.program.Send(view.Head{Line: head})
	running, over := m.Running()
	next := view.Show{Over: over}
	for _, group := range st.groups {
		if slices.ContainsFunc(group, func(i int) bool { return slices.Contains(running, i) }) {
			next.Groups = append(next.Groups, group)
		}
	}
	// Between two runs the last one stays.
	if len(next.Groups) > 0 {
		st.program.Send(next)
	}
}

// fewOrders are those that may be on their way to a run.
const fewOrders = 8

// order gives an order to the clock of run i, unless too many are on their way.
func (st *stage) order(i int, order string) {
	select {
	case st.orders[i] <- order:
	default:
	}
}

// begin tells the program from when on the time of run i counts. Runs that are shown together are
// looked at at the same times after it.
func (st *stage) begin(i int, at time.Time) {
	if at.IsZero() || at.Equal(st.began[i]) {
		return
	}
	st.began[i] = at
	if slices.ContainsFunc(st.groups, func(group []int) bool { return len(group) > 1 && slices.Contains(group, i) }) {
		st.order(i, watch.OrderFrom(at))
	}
	st.program.Send(view.Began{Cluster: i, At: at})
}

// watcher looks at run i for the whole terminal, nil without one.
func (b *board) watcher(i int) *run.Watcher {
	b.mu.Lock()
	st := b.stage
	b.mu.Unlock()
	if st == nil {
		return nil
	}
	return &run.Watcher{
		See:    func(l watch.Look) { st.program.Send(view.Look{Cluster: i, Look: l}) },
		Orders: st.orders[i], Over: st.over,
	}
}

// groups are the runs that are shown together: each by itself, or those of a comparison
// that have the same jobs.
func (e *execution) groups(configs []run.Config) [][]int {
	var groups [][]int
	known := map[string]int{}
	for i, c := range configs {
		window, _ := c.Workload.Window()
		key := fmt.Sprintf("%s %s %d %d", c.Machine.Name, c.Workload.Name(), window, c.Seed)
		if at, is := known[key]; is && e.paired {
			groups[at] = append(groups[at], i)
			continue
		}
		known[key] = len(groups)
		groups = append(groups, []int{i})
	}
	return groups
}

func (e *execution) uiFlag(f *pflag.FlagSet) {
	f.BoolVar(&e.ui, "ui", false, `show the runs on the whole terminal, as "slurmlab top" does, where there is one`)
}

// checkUI is the fault of --ui beside other flags.
func (e *execution) checkUI() error {
	if e.ui && e.quiet {
		return errors.New("ui: has no effect with --quiet; leave one of them out")
	}
	return nil
}
