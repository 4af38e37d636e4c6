package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// The tables of scenarios and of the users that they help or hurt, as files.
const (
	WhatIfName   = whatIfName + ".csv"
	AffectedName = affectedName + ".csv"

	whatIfName   = "whatif"
	affectedName = "whatif-users"
)

// mostAffected is how many users of a scenario the page shows: the most hurt and the most helped ones. The file has all.
const mostAffected = 10

// WriteWhatIf writes the tables of scenarios as CSV and Markdown into a folder, and the page, and names the files.
func WriteWhatIf(folder string, w compare.WhatIf) ([]string, error) {
	rows, errRows := w.Table()
	users, errUsers := w.AffectedTable()
	sections, errSections := WhatIfSections(w)
	if err := errors.Join(errRows, errUsers, errSections); err != nil {
		return nil, err
	}
	page := Page{
		Title: "What if: " + filepath.Base(folder), Sections: sections,
		Lead: []string{fmt.Sprintf("%s beside %s, over %s.", text.Plural(len(w.Scenarios)-1, "scenario"), w.Scenarios[0], text.Plural(len(w.Days), "day"))},
	}
	summary := strings.Join(slices.Concat(w.Explain(), w.Notes()), "\n\n")
	return []string{pageName, WhatIfName, AffectedName}, errors.Join(
		writeTable(folder, NamedTable{Name: whatIfName, Summary: summary, Table: rows}),
		writeTable(folder, NamedTable{Name: affectedName, Table: users}),
		trace.WriteAtomic(filepath.Join(folder, pageName), page.Write))
}

// WhatIfSections are the parts of a page on scenarios: the table, a curve of the waits of each, and who is hurt.
func WhatIfSections(w compare.WhatIf) ([]Section, error) {
	rows, errRows := w.Table()
	users, errUsers := w.AffectedTable()
	var waits []plot.WaitCurve
	for _, name := range w.Scenarios {
		waits = append(waits, plot.WaitCurve{Name: name, Points: w.Waits(name)})
	}
	figure, errFigure := NewFigure("All jobs of all days. A curve that ends below 100 % has jobs that never started.",
		func(out io.Writer) error { return plot.WaitCurves(out, "Waits of each scenario", waits...) })
	if err := errors.Join(errRows, errUsers, errFigure); err != nil {
		return nil, err
	}
	shown := rows.Fit(pageWidth)
	answer := Section{Title: "What changes", Words: slices.Concat(w.Findings(), w.Explain()), Tables: []Table{NewTable(captionOf(whatIfName, shown), shown)}}
	for _, note := range w.Notes() {
		answer.Warnings = append(answer.Warnings, Warning{Text: note})
	}
	sections := []Section{answer, {Title: "How long jobs wait", Figures: []Figure{figure}}}
	if len(w.Affected) == 0 {
		return append(sections, Section{Title: "Who is hurt", Words: []string{"No job waits otherwise by the stated amount."}}), nil
	}
	return append(sections, hurt(w, users)), nil
}

// captionOf says where the columns are that a page does not show.
func captionOf(name string, shown table.View) string {
	caption := shown.Common
	if shown.Left > 0 {
		caption = strings.TrimSpace(fmt.Sprintf("%s %s.csv has %s more.", caption, name, text.Plural(shown.Left, "column")))
	}
	return caption
}

// hurt is the section with the users of each scenario who wait otherwise, a table each.
func hurt(w compare.WhatIf, users table.Table) Section {
	s := Section{Title: "Who is hurt", Words: []string{
		fmt.Sprintf("Users with a job whose wait differs by more than %g min and %g %%, the most hurt first. %s.csv has all of them.", w.Minutes, w.Percent, affectedName),
	}}
	shown := users.Wide()
	all := NewTable("", shown)
	for _, name := range w.Scenarios[1:] {
		t := Table{Caption: name, Header: all.Header}
		for i, a := range w.Affected {
			if a.Scenario == name {
				t.Rows = append(t.Rows, all.Rows[i])
			}
		}
		if n := len(t.Rows); n > 2*mostAffected {
			t.Note = fmt.Sprintf("… and %d more between them.", n-2*mostAffected)
			t.Rows = slices.Concat(t.Rows[:mostAffected], t.Rows[n-mostAffected:])
		}
		if len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}
