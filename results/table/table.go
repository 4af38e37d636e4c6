package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is a frame with its columns for people and for CSV. The zero value is not
// usable.
type Table struct {
	frame   Frame
	columns []Column
}

// New makes a table of the columns of a frame. The frame must have each column
// that they name, and headings must differ.
func New(frame Frame, columns ...Column) (Table, error) {
	if len(columns) == 0 {
		return Table{}, errors.New("make table: no columns")
	}
	t := Table{frame: frame, columns: columns}
	if title, twice := repeated(t.Header()); twice {
		return Table{}, fmt.Errorf("make table: two columns %q", title)
	}
	if name, twice := repeated(t.names()); twice {
		return Table{}, fmt.Errorf("make table: two columns %q", name)
	}
	for _, name := range t.names() {
		if !slices.Contains(frame.data.Names(), name) {
			return Table{}, fmt.Errorf("make table: no column %q", name)
		}
	}
	return t, nil
}

// shown are the columns for people.
func (t Table) shown() []Column {
	return slices.DeleteFunc(slices.Clone(t.columns), func(c Column) bool { return c.Title == "" })
}

// names are the columns of the frame that are in CSV.
func (t Table) names() []string {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.Names...)
	}
	return names
}

// Header returns the headings for people.
func (t Table) Header() []string {
	var titles []string
	for _, c := range t.shown() {
		titles = append(titles, c.Title)
	}
	return titles
}

// Rows returns the cells for people, row by row.
func (t Table) Rows() [][]string {
	shown := t.shown()
	rows := make([][]string, t.frame.Rows())
	for i := range rows {
		row := Row{frame: t.frame, Index: i}
		for _, c := range shown {
			text := ""
			switch {
			case c.Show != nil:
				text = c.Show(row)
			case len(c.Names) > 0:
				text = row.Word(c.Names[0])
			}
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

// WriteCSV writes the values with all their digits. gota's own writer would print
// six decimals.
func (t Table) WriteCSV(w io.Writer) error {
	names := t.names()
	places := make([]int, len(names))
	for i, name := range names {
		places[i] = slices.Index(t.frame.data.Names(), name)
	}
	records := [][]string{names}
	for i := range t.frame.Rows() {
		record := make([]string, len(names))
		for c, place := range places {
			record[c] = Row{frame: t.frame, Index: i}.text(place)
		}
		records = append(records, record)
	}
	if err := csv.NewWriter(w).WriteAll(records); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteText writes an aligned table for a terminal: headings, a rule, rows.
func (t Table) WriteText(w io.Writer) error {
	columns, rows := t.shown(), append([][]string{t.Header()}, t.Rows()...)
	width := widths(rows)
	rule := make([]string, len(columns))
	for c := range rule {
		rule[c] = strings.Repeat("-", width[c])
	}
	var b strings.Builder
	for _, row := range slices.Insert(rows, 1, rule) {
		var line strings.Builder
		for c, text := range row {
			if c > 0 {
				line.WriteString("  ")
			}
			line.WriteString(pad(text, width[c], columns[c].Left))
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
	columns, rows := t.shown(), append([][]string{t.Header()}, t.Rows()...)
	for _, row := range rows {
		for c := range row {
			row[c] = escape.Replace(row[c])
		}
	}
	width := widths(rows)
	for c := range width {
		// The rule "--:" needs three characters.
		width[c] = max(width[c], 3)
	}
	var b strings.Builder
	for r, row := range rows {
		for c, text := range row {
			b.WriteString("| " + pad(text, width[c], columns[c].Left) + " ")
		}
		b.WriteString("|\n")
		if r > 0 {
			continue
		}
		for c := range row {
			if columns[c].Left {
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
func widths(rows [][]string) []int {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
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
