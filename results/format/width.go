package format

import "github.com/mattn/go-runewidth"

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
