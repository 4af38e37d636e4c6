package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

const (
	// lineInterval is the real time after which the line of a terminal is drawn again,
	// a fraction of that between two reports of a run.
	lineInterval = 200 * time.Millisecond
	// logPoll is the real time between two looks whether a log wants a line.
	logPoll = time.Second
)

// board shows on standard error how far the runs of a command are: a terminal has one
// line for all of them, anything else gets lines of a log.
type board struct {
	mu    sync.Mutex
	model *progress.Model
	log   *progress.Log
	out   io.Writer
	// also gets the lines of a log whatever is shown; nil for none.
	also io.Writer
	rest *progress.Log
	// terminal is whether the line is drawn.
	terminal bool
	// whole is the whole terminal, nil while the board has it not.
	whole *wholeTerminal
	// warn shows what went wrong beside a run, --quiet or not.
	warn  func(text string)
	close func()
}

// newBoard begins to show runs. When ctx ends, which is how a user stops a command,
// it says what follows then; a board shows until it is closed.
func newBoard(ctx context.Context, s *State, quiet bool, stopping string, runs ...progress.Run) *board {
	b := &board{model: progress.New(runs...), log: &progress.Log{}, rest: &progress.Log{}, out: s.Stderr}
	interval := logPoll
	b.warn = func(text string) { b.note("warning: " + text) }
	switch {
	case quiet:
		b.out, b.warn = io.Discard, s.told
	case s.Terminal:
		b.terminal, b.log.Brief, interval = true, true, lineInterval
	}
	unwatch := context.AfterFunc(ctx, func() {
		b.change(func(m *progress.Model, _ time.Time) { m.Stop(stopping) })
	})
	closed := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.change(func(*progress.Model, time.Time) {})
			case <-closed:
				return
			}
		}
	})
	b.close = sync.OnceFunc(func() {
		unwatch()
		b.lower()
		close(closed)
		ended.Wait()
		b.erase()
	})
	return b
}

// change changes the model and shows what is new. What cannot be shown is no reason
// to stop a run.
func (b *board) change(change func(m *progress.Model, now time.Time)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	change(b.model, now)
	if b.also != nil {
		for _, line := range b.rest.Lines(b.model, now) {
			_, _ = fmt.Fprintf(b.also, "%s %s\n", now.Format(time.DateTime), line)
		}
	}
	lines := b.log.Lines(b.model, now)
	switch {
	case b.whole != nil:
		b.whole.show(b.model, lines, b.model.Line(now, b.width()))
	case b.terminal:
		b.draw(lines, now)
	default:
		for _, line := range lines {
			_, _ = fmt.Fprintf(b.out, "%s %s\n", now.Format(time.TimeOnly), line)
		}
	}
}

// width is the number of characters that a line of the terminal may have. One of its full width makes some terminals
// begin another line, and so does the "^C" that the terminal echoes behind it.
func (b *board) width() int {
	width, _ := terminalSize(b.out)
	return max(1, cmp.Or(width, classicWidth)-len("^C")-1)
}

// eraseLine takes the last line of a terminal away.
const eraseLine = "\r\x1b[K"

// draw replaces the last line by lines that stay and a new one.
func (b *board) draw(lines []string, now time.Time) {
	drawn := ""
	for _, line := range lines {
		drawn += text.Wrap(line, "", b.width())
	}
	drawn += b.model.Line(now, b.width())
	_, _ = unfiltered(b.out).Write(append([]byte(eraseLine), text.Plain([]byte(drawn))...))
}

// erase takes the last line away.
func (b *board) erase() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.terminal {
		_, _ = io.WriteString(unfiltered(b.out), eraseLine)
	}
}

// waiting shows who has the cores that the command waits for.
func (b *board) waiting(holders []run.Holder) {
	texts := make([]string, len(holders))
	for i, h := range holders {
		texts[i] = h.String()
	}
	b.change(func(m *progress.Model, now time.Time) { m.Wait(texts, now) })
}

// note shows a line that stays.
func (b *board) note(text string) {
	b.change(func(m *progress.Model, _ time.Time) { m.Note(text) })
}

// follow returns what shows the news of run i.
func (b *board) follow(i int) func(progress.Update) {
	return func(u progress.Update) {
		b.change(func(m *progress.Model, now time.Time) {
			m.Update(i, u, now)
			if b.whole != nil {
				b.whole.begin(i, u.Counts.Began)
			}
		})
	}
}

// ended shows how run i ended.
func (b *board) ended(i int, err error) {
	stage := progress.Complete
	switch {
	case errors.Is(err, run.ErrStopped), errors.Is(err, run.ErrPeer):
		stage = progress.Stopped
	case err != nil:
		stage = progress.Failed
	}
	b.follow(i)(progress.Update{Stage: stage})
}

// progressOf names the runs by their policies and by what else is not the same in
// all of them.
func progressOf(configs []run.Config) []progress.Run {
	runs := make([]progress.Run, len(configs))
	names := make([][]string, len(configs))
	for _, field := range []struct {
		always bool
		of     func(run.Config) string
	}{
		{false, func(c run.Config) string { return c.Machine.Name }},
		{false, func(c run.Config) string { return c.Workload.Name() }},
		{true, func(c run.Config) string { return c.Policy.Name }},
		{false, func(c run.Config) string { return cmp.Or(c.EventsName, trace.NoEvents) }},
		{false, func(c run.Config) string { return c.Backend.Name() }},
		{false, func(c run.Config) string { return fmt.Sprintf("seed %d", c.Seed) }},
		{false, func(c run.Config) string {
			window, _ := c.Workload.Window()
			return fmt.Sprintf("window %d", window)
		}},
	} {
		differs := field.always
		for _, c := range configs {
			differs = differs || field.of(c) != field.of(configs[0])
		}
		for i, c := range configs {
			if differs {
				names[i] = append(names[i], field.of(c))
			}
		}
	}
	for i, c := range configs {
		runs[i] = progress.Run{Name: strings.Join(names[i], " "), Jobs: len(c.Jobs), Estimate: c.Estimate().Real}
	}
	return runs
}
