package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/faults"
)

// listing holds the flag --format of a command whose output people read or other
// programs take: a list, a description.
type listing struct{ format string }

func listFormats() []string { return []string{textFormat, "json"} }

func (l *listing) flag(cmd *cobra.Command) {
	under(cmd, headResults, func(f *pflag.FlagSet) {
		f.StringVar(&l.format, "format", textFormat, strings.Join(listFormats(), " or "))
	})
	complete(cmd, "format", ofWords(listFormats()...))
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
	if l.format == textFormat {
		return text(s.Stdout)
	}
	out := json.NewEncoder(s.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(value)
}
