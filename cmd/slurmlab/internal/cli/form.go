package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/table"
)

// The forms of a table.
const (
	textFormat     = "text"
	csvFormat      = "csv"
	jsonFormat     = "json"
	markdownFormat = "markdown"
)

func formats() []string { return []string{textFormat, csvFormat, jsonFormat, markdownFormat} }

// form holds the flags that say how a table of results is printed.
type form struct {
	format string
	wide   bool
	// raw leaves cells of csv as they are, see text.Spreadsheet.
	raw bool
}

func (f *form) flags(cmd *cobra.Command) {
	declare(cmd, headResults,
		flag("format", &f.format, textFormat, "form of the table: text, csv, json or markdown").completes(ofWords(formats()...)),
		flag("wide", &f.wide, false, "all columns, however wide the screen is (csv and json always have all)"),
	)
}

// check refuses an unknown format, and --wide where there is nothing to widen.
func (f form) check() error {
	switch {
	case !slices.Contains(formats(), f.format):
		return fmt.Errorf("format: %q is not known, allowed are %s%s", f.format, strings.Join(formats(), ", "), faults.DidYouMean(f.format, formats()))
	case f.wide && !f.forPeople():
		return fmt.Errorf("wide: got it with format %s, which always has all columns; allowed with text, markdown", f.format)
	default:
		return nil
	}
}

// forPeople says that people read the table, and not another program.
func (f form) forPeople() bool { return f.format == textFormat || f.format == markdownFormat }

// write writes a table in its form: as text it fits the screen, and below it stands how
// many columns are left out and how to see them.
func (f form) write(w io.Writer, screen int, t table.Table, more string) error {
	switch {
	case f.format == csvFormat && f.raw:
		return t.WriteCSV(w)
	case f.format == csvFormat:
		return t.WriteSheet(w)
	case f.format == jsonFormat:
		return t.WriteJSON(w)
	case f.format == markdownFormat && f.wide:
		return t.Wide().WriteMarkdown(w)
	case f.format == markdownFormat:
		return t.Document().WriteMarkdown(w)
	case f.wide:
		return writeView(w, screen, t.Wide(), "column", "")
	default:
		return writeView(w, screen, t.Fit(screen), "column", more)
	}
}

// print writes a table to standard output; see State.explained.
func (f form) print(s *State, t table.Table, more string) error {
	write := func(w io.Writer) error { return f.write(w, s.screen(), t, more) }
	if f.format == textFormat {
		return s.explained(write)
	}
	return write(s.Stdout)
}

// writeView writes what fits a screen, what its rows have in common above it, and how
// many columns, or what else noun counts, are left out below it.
func writeView(w io.Writer, screen int, view table.View, noun, more string) error {
	above, below := "", ""
	if view.Common != "" {
		above = text.Wrap(view.Common, "", screen) + "\n"
	}
	if view.Left > 0 && more != "" {
		below = "\n" + text.Wrap(text.Plural(view.Left, "more "+noun)+omitted(view.Omitted)+": "+more, "", screen)
	}
	_, errAbove := io.WriteString(w, above)
	err := errors.Join(errAbove, view.WriteText(w))
	_, errBelow := io.WriteString(w, below)
	return errors.Join(err, errBelow)
}

// mostOmitted is how many columns a line below a table names that it leaves out.
const mostOmitted = 6

// omitted names the columns that a table leaves out.
func omitted(titles []string) string {
	switch left := len(titles) - mostOmitted; {
	case len(titles) == 0:
		return ""
	case left > 0:
		return fmt.Sprintf(" (%s and %d others)", strings.Join(titles[:mostOmitted], ", "), left)
	}
	return " (" + strings.Join(titles, ", ") + ")"
}
