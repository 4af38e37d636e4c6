package cli

import (
	"io"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
)

// conclusion tells where the results are, and what to type next. It goes to standard
// output below a text, else to standard error.
func (s *State) conclusion(f form, results string, commands ...report.Next) error {
	var b strings.Builder
	b.WriteString("\n" + text.Wrap("Results: "+results, "", s.width()))
	for _, n := range commands {
		b.WriteString(text.Wrap("Next, "+n.Question+":", "", s.width()))
		b.WriteString(text.Command(n.Command, s.screen()))
	}
	w := s.Stdout
	if f.Format != table.TextFormat {
		w = s.Stderr
	}
	_, err := io.WriteString(w, b.String())
	return err
}
