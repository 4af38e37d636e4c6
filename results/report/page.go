package report

import (
	"bytes"
	_ "embed" // for the template and the style
	"fmt"
	"html/template"
	"io"
	"strconv"

	"github.com/slurmlab/slurmlab/results/table"
)

//go:embed page.html
var pageTemplate string

//go:embed style.css
var pageStyle string

// Page is an HTML page of sections.
type Page struct {
	Title string
	// Lead are the paragraphs below the title.
	Lead     []string
	Sections []Section
}

// Section has words, then pictures, tables, warnings and documents, and parts that lie side by side on a wide screen.
type Section struct {
	Title string
	// Class and Anchor name the section for the style and for links; Badges stand behind the title.
	Class, Anchor string
	Badges        []string
	Words         []string
	Figures       []Figure
	Warnings      []Warning
	Tables        []Table
	Documents     []Document
	// Folded is what a reader clicks on to see the section, empty for a section that is open.
	Folded string
	// Parts have no parts of their own.
	Parts []Section
}

// Warning is one reason to doubt a number. Run and Anchor are empty when it is
// about all runs together, Anchor also where the page has no section on the run.
type Warning struct {
	Run, Anchor, Text string
}

// Document is a text of many lines that is opened by a click.
type Document struct{ Name, Text string }

// Figure is a picture.
type Figure struct {
	SVG     template.HTML
	Caption string
}

// NewFigure draws a picture of package plot, which escapes its texts and puts no script in it.
func NewFigure(caption string, draw func(io.Writer) error) (Figure, error) {
	var svg bytes.Buffer
	err := draw(&svg)
	return Figure{SVG: template.HTML(svg.String()), Caption: caption}, err
}

// Table is a table under a line that says what it shows. Header is empty, or all rows are as long as it.
type Table struct {
	Class, Caption string
	Header         []Cell
	Rows           [][]Cell
	// Marked are the rows that a reader should not overlook, by their indices.
	Marked map[int]bool
	// Note stands below the table.
	Note string
}

// Cell is a text in a table.
type Cell struct {
	// Class is "name" for the heading of a row, "number" for a column of numbers, or another class of the style.
	Class, Text string
	// Code texts are for a machine.
	Code bool
	// Note stands behind the text in small type, with a link to the section Link if there is one.
	Note, Link string
	Badges     []string
	// Bar is the length of a bar in per cent of the cell.
	Bar float64
}

func word(text string) Cell   { return Cell{Text: text} }
func code(text string) Cell   { return Cell{Text: text, Code: true} }
func name(text string) Cell   { return Cell{Text: text, Class: "name"} }
func soft(text string) Cell   { return Cell{Text: text, Class: "soft"} }
func number(text string) Cell { return Cell{Text: text, Class: "number"} }
func count(n int) Cell        { return number(strconv.Itoa(n)) }

// named is the heading of a row of numbers in a unit, empty for none.
func named(what, unit string) Cell {
	cell := name(what)
	if unit != "" {
		cell.Note = "[" + unit + "]"
	}
	return cell
}

// fact is a row of a name and its value.
func fact(what, value string) []Cell { return []Cell{name(what), word(value)} }

// withHeader gives the table its headings. The heading of a column of numbers is aligned like the numbers.
func (t Table) withHeader(titles ...string) Table {
	for c, title := range titles {
		cell := word(title)
		if len(t.Rows) > 0 && t.Rows[0][c].Class == "number" {
			cell.Class = "number"
		}
		t.Header = append(t.Header, cell)
	}
	return t
}

// first cuts the table to so many rows, and counts the others below it.
func (t Table) first(most int) Table {
	if left := len(t.Rows) - most; left > 0 {
		t.Rows, t.Note = t.Rows[:most], fmt.Sprintf("… and %d more.", left)
	}
	return t
}

// part is a part of the table alone, none for a table without rows.
func (t Table) part(title string) []Section {
	if len(t.Rows) == 0 {
		return nil
	}
	return []Section{{Title: title, Tables: []Table{t}}}
}

// NewTable shows a view of a table.
func NewTable(caption string, v table.View) Table {
	t := Table{Caption: caption}
	words := v.Words()
	for _, texts := range v.Rows() {
		var row []Cell
		for c, s := range texts {
			if words[c] {
				row = append(row, word(s))
			} else {
				row = append(row, number(s))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t.withHeader(v.Header()...)
}

// Write writes the page. It is made in memory first: one that is cut off in the middle would still look like a report.
func (p Page) Write(w io.Writer) error {
	parsed, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("parse page template: %w", err)
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, struct {
		Page
		Style template.CSS
	}{p, template.CSS(pageStyle)}) // our own file
	if err != nil {
		return fmt.Errorf("fill page template: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
