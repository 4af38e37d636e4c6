package text

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// Plain is Printable for texts of several lines: line ends, tabs and all that a terminal prints stay. What a terminal
// obeys is written as Go does ("\\x1b"): control characters, the marks that turn the direction of text (Unicode 16,
// section 23.2), and bytes that are no UTF-8.
func Plain(text []byte) []byte {
	at := bytes.IndexFunc(text, obeyed)
	if at < 0 {
		return text
	}
	plain := append(make([]byte, 0, len(text)+16), text[:at]...)
	for text = text[at:]; len(text) > 0; {
		c, size := utf8.DecodeRune(text)
		switch {
		case c == utf8.RuneError && size == 1:
			plain = fmt.Appendf(plain, `\x%02x`, text[0])
		case obeyed(c):
			quoted := strconv.QuoteRune(c)
			plain = append(plain, quoted[1:len(quoted)-1]...)
		default:
			plain = append(plain, text[:size]...)
		}
		text = text[size:]
	}
	return plain
}

// obeyed says that a terminal does not print the character but does something, or that it is none.
func obeyed(c rune) bool {
	switch {
	case c == '\n' || c == '\t':
		return false
	case unicode.IsControl(c) || c == utf8.RuneError:
		return true
	default:
		return unicode.Is(unicode.Bidi_Control, c)
	}
}

// Width is the number of columns that a text takes on a terminal: two for a character of East Asia, none for a
// combining one. It is the sum of the widths of its parts, and does not depend on the locale.
func Width(text string) int {
	terminal := runewidth.Condition{StrictEmojiNeutral: true}
	width := 0
	for _, r := range text {
		width += terminal.RuneWidth(r)
	}
	return width
}
