package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/slurmlab/slurmlab/internal/text"
)

// Table is a frame with its columns for people and for data. The zero value is not
// usable.
type Table struct {
	frame   Frame
	columns []Column
	// common stands above the table and holds for all rows.
	common []string
}

// New makes a table of the columns of a frame. The frame must have each column
// that they name, and headings must differ.
func New(frame Frame, columns ...Column) (Table, error) {
	if len(columns) == 0 {
		return Table{}, errors.New("make table: no columns")
	}
	t := Table{frame: frame, columns: columns}
	var titles []string
	for _, c := range t.titled() {
		titles = append(titles, c.Title)
	}
	if title, twice := repeated(titles); twice {
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

// titled are the columns that people can see.
func (t Table) titled() []Column {
	return slices.DeleteFunc(slices.Clone(t.columns), func(c Column) bool { return c.Title == "" })
}

// names are the columns of the frame that are in CSV and JSON.
func (t Table) names() []string {
	var names []string
	for _, c := range t.columns {
		names = append(names, c.Names...)
	}
	return names
}

// texts are the cells of a column for people, from the first row to the last.
func (t Table) texts(c Column) []string {
	texts := make([]string, t.frame.Rows())
	for i := range texts {
		row := Row{frame: t.frame, Index: i}
		switch {
		case c.Show != nil:
			texts[i] = c.Show(row)
		case len(c.Names) > 0:
			texts[i] = row.Word(c.Names[0])
		}
	}
	return texts
}

// Rows is the number of rows.
func (t Table) Rows() int { return t.frame.Rows() }

// WriteCSV writes the values with all their digits. gota's own writer would print
// six decimals.
func (t Table) WriteCSV(w io.Writer) error {
	names := t.names()
	indices := t.indices(names)
	records := [][]string{names}
	for i := range t.frame.Rows() {
		record := make([]string, len(names))
		for c, index := range indices {
			record[c] = Row{frame: t.frame, Index: i}.text(index)
		}
		records = append(records, record)
	}
	if err := csv.NewWriter(w).WriteAll(records); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteSheet is WriteCSV for programs of spreadsheets: no cell is a formula to them.
func (t Table) WriteSheet(w io.Writer) error {
	var raw bytes.Buffer
	if err := t.WriteCSV(&raw); err != nil {
		return err
	}
	sheet, err := text.Spreadsheet(raw.Bytes())
	if err == nil {
		_, err = w.Write(sheet)
	}
	return err
}

// indices are the indices of the frame's columns with these names.
func (t Table) indices(names []string) []int {
	indices := make([]int, len(names))
	for i, name := range names {
		indices[i] = slices.Index(t.frame.data.Names(), name)
	}
	return indices
}
