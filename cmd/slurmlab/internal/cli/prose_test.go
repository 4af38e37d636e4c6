package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/docs"
	"github.com/slurmlab/slurmlab/results/metric"
)

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
		if got := wrap(c.text, c.indent, c.width); got != c.want {
			t.Errorf("wrap(%q, %q, %d) = %q, want %q", c.text, c.indent, c.width, got, c.want)
		}
	}
}

// Every entry and every definition fits every terminal from the narrowest on: only a
// line of a single word may be longer.
func TestProseFits(t *testing.T) {
	for _, width := range []int{leastProse, classicWidth, widestProse} {
		var text strings.Builder
		for _, e := range docs.Glossary() {
			text.WriteString(entryText(e, width))
		}
		text.WriteString(definitionsText(metric.Measures(), width))
		for line := range strings.SplitSeq(text.String(), "\n") {
			if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
				t.Errorf("longer than %d: %q", width, line)
			}
		}
	}
}

// On a terminal a line below a table explains its words. On standard output, and where nobody reads along, there is
// only the table.
func TestExplained(t *testing.T) {
	const table = "Packing  Spread  GPU FGD %\n1.00     1.20    80.3\n"
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, table)
		return err
	}
	for _, c := range []struct {
		terminal bool
		want     string
	}{
		{false, ""},
		{true, "\nslurmlab glossary WORD explains: FGD, packing, spread\n"},
	} {
		var stdout, stderr bytes.Buffer
		s := &State{Stdout: &stdout, Stderr: &stderr, Terminal: c.terminal}
		if err := s.explained(write); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != table || stderr.String() != c.want {
			t.Errorf("terminal %v: got %q and %q, want the table and %q", c.terminal, stdout.String(), stderr.String(), c.want)
		}
	}
	broken := errors.New("no space left")
	s := &State{Stdout: io.Discard, Stderr: io.Discard, Terminal: true}
	if err := s.explained(func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}

// Every word that a line below a table names can be looked up as it is written there.
func TestJargonIsInTheGlossary(t *testing.T) {
	all := jargonIn("2 bids of class A, class B, class C, class F, class R; FGD Fragmentation Lower bound Packing " +
		"relaxed program Slowdown Spread Theoretical runtime window")
	if len(all) != 15 {
		t.Errorf("got %d words, want 15: %q", len(all), all)
	}
	for _, word := range all {
		if _, err := findWord(docs.Glossary(), word); err != nil {
			t.Errorf("%v", err)
		}
	}
	if none := jargonIn("forbidden spreadsheets, unpacked windowsill, Class Action"); none != nil {
		t.Errorf("got %q in a text without such words", none)
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
		if got := columns(words, width); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
}

// Names and what is said of them stay beside each other where there is room.
func TestNameList(t *testing.T) {
	names, about := []string{"fifo", "backfill-default"}, []string{"first in, first out", "Slurm's own scheduler with its default parameters"}
	for width, want := range map[int]string{
		60: "fifo              first in, first out\n" +
			"backfill-default  Slurm's own scheduler with its default\n                  parameters\n",
		40: "fifo\n    first in, first out\nbackfill-default\n    Slurm's own scheduler with its\n    default parameters\n",
	} {
		if got := nameList(names, about, width); got != want {
			t.Errorf("width %d: got\n%swant\n%s", width, got, want)
		}
	}
}
