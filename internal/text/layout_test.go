package text

import "testing"

// No line is longer than the width unless it is one word; no word is lost; widths
// count columns of the terminal and not bytes.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text, indent, want string
		width              int
	}{
		{"", "  ", "", 10},
		{"one two three", "", "one two\nthree\n", 8},
		{"one two three", "  ", "  one two\n  three\n", 9},
		{"incomprehensible it is", "", "incomprehensible\nit is\n", 5},
		{"aa−b ×× cc", "", "aa−b ××\ncc\n", 7},
		{"a\n b\t c", "", "a b c\n", 80},
		{"作業 bb", "", "作業\nbb\n", 6},
	} {
		if got := Wrap(c.text, c.indent, c.width); got != c.want {
			t.Errorf("Wrap(%q, %q, %d) = %q, want %q", c.text, c.indent, c.width, got, c.want)
		}
	}
}

// As ls does it: column by column, as many columns as fit, one a line with width 0.
func TestColumns(t *testing.T) {
	words := []string{"a", "bb", "ccc", "d", "×"}
	for width, want := range map[int]string{
		0:  "a\nbb\nccc\nd\n×\n",
		8:  "a    d\nbb   ×\nccc\n",
		13: "a    ccc  ×\nbb   d\n",
		80: "a    bb   ccc  d    ×\n",
	} {
		if got := Columns(words, width); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
}

// Names and what is said of them stay beside each other where there is room.
func TestList(t *testing.T) {
	names, about := []string{"fifo", "backfill-default"}, []string{"first in, first out", "Slurm's own scheduler with its default parameters"}
	for width, want := range map[int]string{
		60: "fifo              first in, first out\n" +
			"backfill-default  Slurm's own scheduler with its default\n                  parameters\n",
		40: "fifo\n    first in, first out\nbackfill-default\n    Slurm's own scheduler with its\n    default parameters\n",
	} {
		if got := List(names, about, width); got != want {
			t.Errorf("width %d: got\n%swant\n%s", width, got, want)
		}
	}
}
