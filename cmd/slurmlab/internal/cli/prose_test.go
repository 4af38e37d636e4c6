package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slurmlab/slurmlab/docs"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/table"
)

// Every entry and every definition fits every terminal from the narrowest on: only a
// line of a single word may be longer.
func TestProseFits(t *testing.T) {
	for _, width := range []int{text.LeastProse, classicWidth, widestProse} {
		var text strings.Builder
		for _, e := range docs.Glossary() {
			text.WriteString(e.Lines(width))
		}
		text.WriteString(table.DefinitionsText(metric.Measures(), width))
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
	all := docs.JargonIn("2 bids of class A, class B, class C, class F, class R; FGD Fragmentation Lower bound Packing " +
		"relaxed program Slowdown Spread Theoretical runtime window")
	if len(all) != 15 {
		t.Errorf("got %d words, want 15: %q", len(all), all)
	}
	for _, word := range all {
		if _, err := docs.Find(docs.Glossary(), word); err != nil {
			t.Errorf("%v", err)
		}
	}
	if none := docs.JargonIn("forbidden spreadsheets, unpacked windowsill, Class Action"); none != nil {
		t.Errorf("got %q in a text without such words", none)
	}
}
