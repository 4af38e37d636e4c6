package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
)

// listing holds the flag --format of a command whose output people read or other
// programs take: a list, a description.
type listing struct{ format string }

func listFormats() []string { return []string{table.TextFormat, table.JSONFormat} }

func (l *listing) flag(cmd *cobra.Command) {
	declare(cmd, headResults, flag("format", &l.format, table.TextFormat, faults.Or(listFormats())).completes(ofWords(listFormats()...)))
}

// check refuses an unknown format.
func (l listing) check() error {
	if slices.Contains(listFormats(), l.format) {
		return nil
	}
	return fmt.Errorf("format: %q is not known, allowed are %s%s",
		l.format, strings.Join(listFormats(), " and "), faults.DidYouMean(l.format, listFormats()))
}

// print writes the value as JSON, or what text writes, to standard output.
func (l listing) print(s *State, value any, text func(io.Writer) error) error {
	if l.format == table.TextFormat {
		return text(s.Stdout)
	}
	out := json.NewEncoder(s.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(value)
}

// named is an entry of a list of names.
type named struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// printNames prints a list of names with a line about each.
func (l listing) printNames(s *State, list []named) error {
	if err := l.check(); err != nil {
		return usage(err)
	}
	return l.print(s, list, func(w io.Writer) error {
		names, about := make([]string, len(list)), make([]string, len(list))
		for i, n := range list {
			names[i], about[i] = n.Name, n.About
		}
		_, err := io.WriteString(w, text.List(names, about, s.listWidth()))
		return err
	})
}
