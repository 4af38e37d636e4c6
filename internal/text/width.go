package text

import (
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// Printable replaces what would move a terminal's cursor or set its colours: people choose the names of their jobs and
// directories.
func Printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '?'
	}, text)
}

// Width is the number of columns that a text takes on a terminal: two for a character of
// East Asia, none for a combining one. It is the sum of those of its parts, and does not
// depend on the locale.
func Width(text string) int {
	terminal := runewidth.Condition{StrictEmojiNeutral: true}
	width := 0
	for _, r := range text {
		width += terminal.RuneWidth(r)
	}
	return width
}
