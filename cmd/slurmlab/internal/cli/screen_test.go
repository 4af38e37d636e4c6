package cli

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// screen is a terminal of so many columns that knows what a board needs: carriage
// return, new line and "erase the rest of the line". Anything else is a fault.
type screen struct {
	user    *os.File
	columns int
	mu      sync.Mutex
	lines   [][]rune
	row     int
	column  int
	faults  []string
	rest    string
}

// newScreen returns a screen and the file that a program writes to it.
func newScreen(t *testing.T, columns int) (s *screen, program *os.File) {
	t.Helper()
	user, program := hosttest.Terminal(t, 24, columns)
	s = &screen{user: user, columns: columns}
	go func() {
		for data := make([]byte, 4096); ; {
			n, err := user.Read(data)
			if err != nil {
				return
			}
			s.take(string(data[:n]))
		}
	}()
	return s, program
}

// take draws what a program has written.
func (s *screen) take(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const eraseRest = "\x1b[K"
	for text = s.rest + text; text != ""; {
		if text[0] == '\x1b' {
			if strings.HasPrefix(eraseRest, text) && text != eraseRest {
				break
			}
			after, known := strings.CutPrefix(text, eraseRest)
			if !known {
				s.faults = append(s.faults, "unknown sequence "+strconv.Quote(text[:min(8, len(text))]))
				text = text[1:]
				continue
			}
			text = after
			if s.row < len(s.lines) {
				s.lines[s.row] = s.lines[s.row][:min(len(s.lines[s.row]), s.column)]
			}
			continue
		}
		s.put(rune(text[0]))
		text = text[1:]
	}
	s.rest = text
}

func (s *screen) put(c rune) {
	switch c {
	case '\r':
		s.column = 0
		return
	case '\n':
		s.row++
		return
	}
	if s.column == s.columns {
		s.faults = append(s.faults, "a line has been broken")
		s.row, s.column = s.row+1, 0
	}
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	for len(s.lines[s.row]) <= s.column {
		s.lines[s.row] = append(s.lines[s.row], ' ')
	}
	s.lines[s.row][s.column] = c
	s.column++
}

// text is what the screen shows, without blanks at the end of lines.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// shows waits until the screen shows a text that matches the pattern.
func (s *screen) shows(t *testing.T, pattern string) {
	t.Helper()
	want := regexp.MustCompile(pattern)
	hosttest.UntilOr(t, func() bool { return want.MatchString(s.text()) }, func() string {
		return fmt.Sprintf("the screen shows\n%s\nwant\n%s", s.text(), pattern)
	})
}
