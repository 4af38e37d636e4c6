package cli

import (
	"cmp"
	"io"
	"math"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Prose is as wide as the screen, but no line has more characters than can be read
// comfortably.
const (
	classicWidth = 80
	widestProse  = 100
)

// terminal is the number of characters in a line of the terminal that standard output
// is, 0 where it is none.
func (s *State) terminal() int {
	columns, _ := terminalSize(s.Stdout)
	return columns
}

// terminalSize is the size of the terminal that w writes to, 0 where it is none.
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

// screen is the number of characters that a line of a table may have: what the variable
// COLUMNS says, as ls does it, else the width of the terminal. Where standard output is
// no terminal it is the classic terminal's, for a pager and a log are read in one.
func (s *State) screen() int { return cmp.Or(s.Columns, s.terminal(), classicWidth) }

// width is the number of characters that a line of prose may have.
func (s *State) width() int { return min(max(s.screen(), text.LeastProse), widestProse) }

// listWidth is the number of characters that a line of a list of names may have. Where
// standard output is no terminal each name has one line, as grep likes it, unless COLUMNS
// is set.
func (s *State) listWidth() int { return cmp.Or(s.Columns, s.terminal(), math.MaxInt) }

// columnsVariable is the number that the environment's COLUMNS has, 0 where that is none.
func columnsVariable() int {
	columns, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		return 0
	}
	return max(0, columns)
}
