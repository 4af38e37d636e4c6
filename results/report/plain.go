package report

import (
	"bytes"
	_ "embed" // for the template
	"fmt"
	"html/template"
	"io"
)

//go:embed plain.html
var plainTemplate string

// Plain is a page of sections, for results that are no runs of jobs.
type Plain struct {
	Title string
	// Lead are the paragraphs below the title.
	Lead     []string
	Sections []Section
}

// Section has words, then pictures, then tables.
type Section struct {
	Title   string
	Words   []string
	Figures []Figure
	Tables  []Table
}

// Figure is a picture of package plot, which escapes its texts and puts no script in it.
type Figure struct {
	Caption string
	Draw    func(io.Writer) error
}

// WritePlain writes a page. Nothing is written when a picture cannot be drawn.
func WritePlain(w io.Writer, p Plain) error {
	type section struct {
		Title   string
		Words   []string
		Figures []drawnFigure
		Tables  []tableView
	}
	page := struct {
		Title    string
		Style    template.CSS
		Lead     []string
		Sections []section
	}{Title: p.Title, Style: template.CSS(pageStyle), Lead: p.Lead}
	for _, s := range p.Sections {
		out := section{Title: s.Title, Words: s.Words}
		for _, f := range s.Figures {
			drawn, err := newFigure(f.Caption, f.Draw)
			if err != nil {
				return fmt.Errorf("write page: %w", err)
			}
			out.Figures = append(out.Figures, drawn)
		}
		for _, t := range s.Tables {
			out.Tables = append(out.Tables, newTableView(t))
		}
		page.Sections = append(page.Sections, out)
	}
	parsed, err := template.New("plain").Parse(plainTemplate)
	if err != nil {
		return fmt.Errorf("parse page template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, page); err != nil {
		return fmt.Errorf("fill page template: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
