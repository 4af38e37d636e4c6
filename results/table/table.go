package table

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Column describes one column.
type Column struct {
	// Title is the heading for people, with its unit: "Waiting h". None leaves
	// the column out of what people see.
	Title string
	// Names are the headings in CSV, one per value of a cell:
	// "waiting_mean_h", "waiting_std_h". None leaves the column out of CSV.
	Names []string
	// Left aligns to the left, as words are; numbers go to the right.
	Left bool
}

// Cell is one cell: what people read, and its values for CSV.
type Cell struct {
	Shown  string
	Values []string
}

// absent is what people read where a value is unknown.
const absent = "-"

// Text is a cell of words. Control characters become spaces, so that a name
// cannot break a line of the table.
func Text(s string) Cell {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return Cell{Shown: s, Values: []string{s}}
}

// Count is a cell with a whole number.
func Count(n uint64) Cell { return Text(strconv.FormatUint(n, 10)) }

// Number is a cell with v, shown with the given number of decimals.
func Number(v float64, decimals int) Cell {
	return Cell{Shown: Fixed(v, decimals), Values: []string{exact(v)}}
}

// MeanStd is a cell "mean ± std" of two values.
func MeanStd(mean, std float64, decimals int) Cell {
	return Cell{
		Shown:  Fixed(mean, decimals) + " ± " + Fixed(std, decimals),
		Values: []string{exact(mean), exact(std)},
	}
}

// Unknown is a cell of n unknown values.
func Unknown(n int) Cell { return Cell{Shown: absent, Values: make([]string, n)} }

// Fixed formats v with the given number of decimals, never as "-0.00".
func Fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

func exact(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Table is a finished table. The zero value is not usable.
type Table struct {
	shown dataframe.DataFrame
	data  dataframe.DataFrame
	left  []bool
}

// New makes a table of the columns and rows. Every row must have a cell per
// column, every cell a value per name of its column, and headings must differ.
func New(columns []Column, rows [][]Cell) (Table, error) {
	for i, row := range rows {
		if len(row) != len(columns) {
			return Table{}, fmt.Errorf("make table: row %d has %d cells, want %d", i+1, len(row), len(columns))
		}
	}
	var t Table
	var shown, data []series.Series
	titles, names := map[string]bool{}, map[string]bool{}
	for c, column := range columns {
		if titles[column.Title] {
			return Table{}, fmt.Errorf("make table: two columns %q", column.Title)
		}
		titles[column.Title] = column.Title != ""
		texts := make([]string, len(rows))
		for r, row := range rows {
			texts[r] = row[c].Shown
			if len(row[c].Values) != len(column.Names) && len(column.Names) > 0 {
				return Table{}, fmt.Errorf("make table: row %d, column %q: %d values, want %d", r+1, column.Title, len(row[c].Values), len(column.Names))
			}
		}
		if column.Title != "" {
			shown = append(shown, series.New(texts, series.String, column.Title))
			t.left = append(t.left, column.Left)
		}
		for v, name := range column.Names {
			if names[name] {
				return Table{}, fmt.Errorf("make table: two columns %q", name)
			}
			names[name] = true
			values := make([]string, len(rows))
			for r, row := range rows {
				values[r] = row[c].Values[v]
			}
			data = append(data, series.New(values, series.String, name))
		}
	}
	t.shown, t.data = dataframe.New(shown...), dataframe.New(data...)
	// gota keeps its errors in the frame instead of returning them.
	if err := errors.Join(t.shown.Error(), t.data.Error()); err != nil {
		return Table{}, fmt.Errorf("make table: %w", err)
	}
	return t, nil
}

// Header returns the headings for people.
func (t Table) Header() []string { return t.shown.Names() }

// Rows returns the cells for people, row by row.
func (t Table) Rows() [][]string { return t.shown.Records()[1:] }

// WriteCSV writes the values with all their digits.
func (t Table) WriteCSV(w io.Writer) error {
	if err := t.data.WriteCSV(w); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteText writes an aligned table for a terminal: headings, a rule, rows.
func (t Table) WriteText(w io.Writer) error {
	rule := make([]string, len(t.Header()))
	width := t.widths()
	for c := range rule {
		rule[c] = strings.Repeat("-", width[c])
	}
	var b strings.Builder
	for _, row := range append([][]string{t.Header(), rule}, t.Rows()...) {
		var line strings.Builder
		for c, text := range row {
			if c > 0 {
				line.WriteString("  ")
			}
			line.WriteString(pad(text, width[c], t.left[c]))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteMarkdown writes a pipe table, aligned so that its source reads well too.
func (t Table) WriteMarkdown(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`)
	rows := append([][]string{t.Header()}, t.Rows()...)
	width := make([]int, len(t.left))
	for _, row := range rows {
		for c := range row {
			row[c] = escape.Replace(row[c])
			// The rule "--:" needs three characters.
			width[c] = max(width[c], utf8.RuneCountInString(row[c]), 3)
		}
	}
	var b strings.Builder
	for r, row := range rows {
		for c, text := range row {
			b.WriteString("| " + pad(text, width[c], t.left[c]) + " ")
		}
		b.WriteString("|\n")
		if r > 0 {
			continue
		}
		for c := range row {
			if t.left[c] {
				b.WriteString("| " + strings.Repeat("-", width[c]) + " ")
			} else {
				b.WriteString("| " + strings.Repeat("-", width[c]-1) + ": ")
			}
		}
		b.WriteString("|\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// widths are counted in characters, not bytes: "±" takes one place.
func (t Table) widths() []int {
	width := make([]int, len(t.left))
	for _, row := range t.shown.Records() {
		for c, text := range row {
			width[c] = max(width[c], utf8.RuneCountInString(text))
		}
	}
	return width
}

func pad(text string, width int, left bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	if left {
		return text + space
	}
	return space + text
}
