package cli

import (
	"bytes"
	"io"
	"strings"

	"github.com/slurmlab/slurmlab/docs"
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
	words := docs.JargonIn(printed.String())
	if !s.Terminal || len(words) == 0 {
		return nil
	}
	line := "slurmlab glossary WORD explains: " + strings.Join(words, ", ")
	_, err := io.WriteString(s.Stderr, "\n"+text.Wrap(line, "", s.width()))
	return err
}
