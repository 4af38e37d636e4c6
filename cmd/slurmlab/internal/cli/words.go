package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
)

// explained writes a table or a report for people to standard output. Where standard
// error is a terminal, a line below says which of the printed words the glossary
// explains; standard output is the same with and without it.
func (s *State) explained(write func(io.Writer) error) error {
	var printed bytes.Buffer
	if err := write(io.MultiWriter(s.Stdout, &printed)); err != nil {
		return err
	}
	words := jargonIn(printed.String())
	if !s.Terminal || len(words) == 0 {
		return nil
	}
	line := "slurmlab glossary WORD explains: " + strings.Join(words, ", ")
	_, err := io.WriteString(s.Stderr, "\n"+text.Wrap(line, "", s.width()))
	return err
}

// jargonIn lists the words of the papers and of slurmlab that a text has and a
// newcomer cannot know, as the glossary has them.
func jargonIn(text string) []string {
	var words []string
	for _, j := range []struct{ word, form string }{
		{"bid", `(?i)\bbids?\b`},
		{"class A", `\bclass A\b`},
		{"class B", `\bclass B\b`},
		{"class C", `\bclass C\b`},
		{"class F", `\bclass F\b`},
		{"class R", `\bclass R\b`},
		{"FGD", `\bFGD\b`},
		{"fragmentation", `\bFragmentation\b`},
		{"lower bound", `\bLower bound\b`},
		{"packing", `\bPacking\b`},
		{"relaxed program", `\brelaxed program\b`},
		{"slowdown", `(?i)\bslowdown\b`},
		{"spread", `\bSpread\b`},
		{"theoretical runtime", `\bTheoretical runtime\b`},
		{"window", `\bwindow\b`},
	} {
		if regexp.MustCompile(j.form).MatchString(text) {
			words = append(words, j.word)
		}
	}
	return words
}
