package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/view"
	"github.com/slurmlab/slurmlab/emulator/watch"
)

// terminal is a Model on a terminal, with what it asked for.
type terminal struct {
	*view.Model
	orders      []string
	interrupted int
}

func newTerminal(names ...string) *terminal {
	t := &terminal{}
	t.Model = view.New(view.Settings{
		Names: names, Leaving: "leave",
		Clock:     func(i int, order string) { t.orders = append(t.orders, fmt.Sprint(names[i], " ", order)) },
		Interrupt: func() { t.interrupted++ },
	})
	t.Update(tea.WindowSizeMsg{Width: 120, Height: 30})
	return t
}

// press reports whether the key ends the program.
func (t *terminal) press(key tea.Key) bool {
	_, cmd := t.Update(tea.KeyPressMsg(key))
	if cmd == nil {
		return false
	}
	_, ended := cmd().(tea.QuitMsg)
	return ended
}

func letter(c rune) tea.Key { return tea.Key{Code: c, Text: string(c)} }

func (t *terminal) text() string { return ansi.Strip(strings.Join(t.Lines(), "\n")) }

// look is one at a cluster with so many waiting jobs, so many virtual seconds after its
// start.
func look(clock string, past float64, waiting int) watch.Look {
	return watch.Look{Now: at(past/10, past), Clock: clock, Policy: "p", Priority: "q", Waiting: waiting, Nodes: []watch.Nodes{{Count: 2, Cores: 4}}}
}

func TestKeys(t *testing.T) {
	m := newTerminal("one")
	m.Update(view.Look{Look: look("jump", 10, 1)})
	if got := len(m.Lines()); got != 30 {
		t.Errorf("%d lines on a terminal of 30", got)
	}
	for _, key := range []tea.Key{letter('+'), letter('-'), letter('='), letter('s'), letter('f')} {
		if m.press(key) {
			t.Errorf("%v leaves", key)
		}
	}
	if want := []string{"one go", "one hold", "one go", "one hold", "one go"}; !slices.Equal(m.orders, want) {
		t.Errorf("orders %q, want %q", m.orders, want)
	}
	m.press(letter('h'))
	if !strings.Contains(m.text(), "What is shown") {
		t.Errorf("h is not the help:\n%s", m.text())
	}
	m.press(letter('h'))
	if strings.Contains(m.text(), "What is shown") {
		t.Errorf("h does not leave the help:\n%s", m.text())
	}
	m.press(letter('?'))
	if !strings.Contains(m.text(), "What is shown") {
		t.Errorf("no help:\n%s", m.text())
	}
	// In the help, q leads back.
	if m.press(letter('q')) || strings.Contains(m.text(), "What is shown") {
		t.Errorf("q in the help leaves, or keeps it")
	}
	// A pause freezes the picture and holds the clock, and what goes on is the same clock.
	past := 10
	for _, key := range []tea.Key{letter('p'), {Code: tea.KeySpace, Text: " "}} {
		m.orders = nil
		m.press(key)
		past += 10
		m.Update(view.Look{Look: look("jump", float64(past), past)})
		if text := m.text(); strings.Contains(text, fmt.Sprint(past, " jobs waiting")) || !strings.Contains(text, "go on (frozen)") ||
			!strings.Contains(text, "the clock held at the speed of real time") {
			t.Errorf("%v: the picture is not frozen:\n%s", key, text)
		}
		m.press(key)
		if text := m.text(); !strings.Contains(text, fmt.Sprint(past, " jobs waiting")) || strings.Contains(text, "frozen") {
			t.Errorf("%v: the picture does not go on:\n%s", key, text)
		}
		if want := []string{"one pause", "one resume"}; !slices.Equal(m.orders, want) {
			t.Errorf("%v: orders %q, want %q", key, m.orders, want)
		}
	}
	if m.press(tea.Key{Code: 'c', Mod: tea.ModCtrl}) || m.interrupted != 1 {
		t.Errorf("Ctrl-C interrupted %d times, want 1, and is to leave by the end of the command", m.interrupted)
	}
	if !m.press(letter('q')) {
		t.Error("q does not leave")
	}
	if !m.press(tea.Key{Code: tea.KeyEscape}) {
		t.Error("Esc does not leave")
	}
}

// A clock that has one speed gets no order, and the user sees why.
func TestOnlyJumpClocksTakeOrders(t *testing.T) {
	m := newTerminal("one")
	m.Update(view.Look{Look: look("scaled", 10, 1)})
	m.press(letter('+'))
	if len(m.orders) > 0 || !strings.Contains(m.text(), "only a jump clock has two speeds") {
		t.Errorf("orders %q, text\n%s", m.orders, m.text())
	}
	if strings.Contains(m.text(), "+ faster") {
		t.Error("a key is offered that does nothing")
	}
	m.press(letter('p'))
	if len(m.orders) > 0 || !strings.Contains(m.text(), "the cluster goes on, since only a jump clock can be held") {
		t.Errorf("a pause: orders %q, text\n%s", m.orders, m.text())
	}
}

// Clusters that are compared are shown at the same time after their beginning: at that of
// the one that has come less far, unless it has ended.
func TestAligned(t *testing.T) {
	m := newTerminal("one", "two")
	for i := range 10 {
		m.Update(view.Look{Cluster: 0, Look: look("jump", float64(100*i), 100+i)})
	}
	for i := range 5 {
		m.Update(view.Look{Cluster: 1, Look: look("jump", float64(100*i), 200+i)})
	}
	m.Update(view.Show{Groups: [][]int{{0, 1}}})
	if text := m.text(); !strings.Contains(text, "104 jobs waiting") || !strings.Contains(text, "204 jobs waiting") {
		t.Errorf("not at 400 s:\n%s", text)
	}
	m.Update(view.Show{Groups: [][]int{{0, 1}}, Over: []int{1}})
	if text := m.text(); !strings.Contains(text, "109 jobs waiting") || !strings.Contains(text, "204 jobs waiting") {
		t.Errorf("a run that is over holds the other one back:\n%s", text)
	}
	m.Update(view.Show{Groups: [][]int{{0, 1}}, Over: []int{0}})
	if text := m.text(); !strings.Contains(text, "104 jobs waiting") {
		t.Errorf("a run that is over is shown later than the other one is:\n%s", text)
	}
	// Clusters of another group go on by themselves.
	m.Update(view.Show{Groups: [][]int{{0}, {1}}})
	if text := m.text(); !strings.Contains(text, "109 jobs waiting") || !strings.Contains(text, "204 jobs waiting") {
		t.Errorf("clusters of two groups wait for each other:\n%s", text)
	}
	m.Update(view.Show{Groups: [][]int{{0, 1}}, Over: []int{0}})
	// Orders go to those that are not over.
	m.press(letter('-'))
	if want := []string{"two hold"}; !slices.Equal(m.orders, want) {
		t.Errorf("orders %q, want %q", m.orders, want)
	}
}

// The progress stands above the frames, notes below, and neither pushes out the keys.
func TestHeadAndNote(t *testing.T) {
	m := newTerminal("one")
	m.Update(view.Look{Look: look("real", 10, 1)})
	m.Update(view.Head{Line: "10 of 51 jobs\x1b[2J"})
	m.Update(view.Note{Text: "stopping"})
	for _, height := range []int{5, 12, 30} {
		m.Update(tea.WindowSizeMsg{Width: 60, Height: height})
		lines := m.Lines()
		if len(lines) != height {
			t.Errorf("%d lines on a terminal of %d", len(lines), height)
		}
		if !strings.Contains(lines[len(lines)-1], "q leave") {
			t.Errorf("height %d: the last line is %q", height, lines[len(lines)-1])
		}
		if height == 30 && (!strings.HasPrefix(lines[0], "10 of 51 jobs") || !strings.Contains(lines[height-2], "stopping") || strings.Contains(lines[0], "\x1b[2J")) {
			t.Errorf("got\n%q", lines)
		}
	}
}

// A run that is made again starts afresh, and what is no longer shown is forgotten.
func TestForgets(t *testing.T) {
	m := newTerminal("one", "two")
	m.Update(view.Began{Cluster: 0, At: at(0, 0).Virtual})
	m.Update(view.Look{Cluster: 0, Look: look("jump", 500, 7)})
	m.Update(view.Began{Cluster: 0, At: at(0, 0).Virtual})
	if !strings.Contains(m.text(), "+8m20s") {
		t.Errorf("the same beginning makes forget:\n%s", m.text())
	}
	m.Update(view.Began{Cluster: 0, At: at(0, 30).Virtual})
	if !strings.Contains(m.text(), "waiting for the first look") {
		t.Errorf("looks at the run before are kept:\n%s", m.text())
	}
	m.Update(view.Look{Cluster: 0, Look: look("jump", 500, 7)})
	m.Update(view.Show{Groups: [][]int{{1}}})
	m.Update(view.Show{Groups: [][]int{{0}}})
	if !strings.Contains(m.text(), "waiting for the first look") {
		t.Errorf("looks at what was not shown are kept:\n%s", m.text())
	}
}
