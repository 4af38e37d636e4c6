package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
)

// The forms of a table.
const (
	TextFormat     = "text"
	CSVFormat      = "csv"
	JSONFormat     = "json"
	MarkdownFormat = "markdown"
)

// Formats are the formats of a table.
func Formats() []string { return []string{TextFormat, CSVFormat, JSONFormat, MarkdownFormat} }

// Form is how people or programs want a table: in a format, and with all columns however wide the screen is.
type Form struct {
	Format string
	Wide   bool
	// Raw leaves cells of csv as they are, see text.Spreadsheet.
	Raw bool
}

// Check refuses an unknown format, and --wide where there is nothing to widen.
func (f Form) Check() error {
	switch {
	case !slices.Contains(Formats(), f.Format):
		return fmt.Errorf("format: %q is not known, allowed are %s%s", f.Format, strings.Join(Formats(), ", "), faults.DidYouMean(f.Format, Formats()))
	case f.Wide && !f.ForPeople():
		return fmt.Errorf("wide: got it with format %s, which always has all columns; allowed with text, markdown", f.Format)
	default:
		return nil
	}
}

// ForPeople says that people read the table, and not another program.
func (f Form) ForPeople() bool { return f.Format == TextFormat || f.Format == MarkdownFormat }

// Write writes a table in its form: as text it fits the screen, and below it stands how
// many columns are left out and how to see them.
func (f Form) Write(w io.Writer, screen int, t Table, more string) error {
	switch {
	case f.Format == CSVFormat && f.Raw:
		return t.WriteCSV(w)
	case f.Format == CSVFormat:
		return t.WriteSheet(w)
	case f.Format == JSONFormat:
		return t.WriteJSON(w)
	case f.Format == MarkdownFormat && f.Wide:
		return t.Wide().WriteMarkdown(w)
	case f.Format == MarkdownFormat:
		return t.Document().WriteMarkdown(w)
	case f.Wide:
		return t.Wide().WriteScreen(w, screen, "column", "")
	default:
		return t.Fit(screen).WriteScreen(w, screen, "column", more)
	}
}

// WriteScreen writes what fits a screen, what its rows have in common above it, and how
// many columns, or what else noun counts, are left out below it.
func (v View) WriteScreen(w io.Writer, screen int, noun, more string) error {
	above, below := "", ""
	if v.Common != "" {
		above = text.Wrap(v.Common, "", screen) + "\n"
	}
	if v.Left > 0 && more != "" {
		below = "\n" + text.Wrap(text.Plural(v.Left, "more "+noun)+omitted(v.Omitted)+": "+more, "", screen)
	}
	_, errAbove := io.WriteString(w, above)
	err := errors.Join(errAbove, v.WriteText(w))
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
