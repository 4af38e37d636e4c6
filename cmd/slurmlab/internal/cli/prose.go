package cli

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Prose is as wide as the terminal, but no line has more characters than can be read
// comfortably. Where standard output is no terminal, lines are as long as the classic
// terminal's.
const (
	classicWidth = 80
	widestProse  = 100
	leastProse   = 30
)

// screen is the number of characters in a line of the terminal that standard output
// is, 0 where it is none.
func (s *State) screen() int {
	columns, _ := terminalSize(s.Stdout)
	return columns
}

// terminalSize is that of the terminal that w writes to, 0 where it is none.
func terminalSize(w io.Writer) (width, height int) {
	file, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// width is the number of characters that a line of prose may have.
func (s *State) width() int {
	columns := s.screen()
	if columns == 0 {
		return classicWidth
	}
	return min(max(columns, leastProse), widestProse)
}

// wrap breaks text between words into lines of at most width characters, each
// beginning with indent. A word that is longer has a line of its own.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		length := utf8.RuneCountInString(word)
		switch {
		case used == 0:
			b.WriteString(indent)
			used = len(indent)
		case used+1+length > width:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += length
	}
	if used > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
