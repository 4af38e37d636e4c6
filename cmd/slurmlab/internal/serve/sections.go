package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/report"
)

// NewWhatIf is what the folder of a what-if study shows: the sections of its report, and how its runs stand. Until there is
// an answer it is nil.
func NewWhatIf(f report.Folder, asked []report.Asked, answer *compare.WhatIf) (Study, error) {
	study := Study{WhatIf: true, Findings: []string{}, Matrix: newMatrix(report.Folder{}, asked, nil)}
	if answer == nil {
		study.Findings = append(f.Remarks(), "The table of scenarios needs a complete run of the base and of a scenario.")
		return study, nil
	}
	study.Complete = len(f.Runs)
	var errSections, errScenarios, errUsers error
	study.Sections, errSections = report.WhatIfSections(*answer)
	study.Scenarios, errScenarios = answer.Table()
	study.Users, errUsers = answer.AffectedTable()
	return study, errors.Join(errSections, errScenarios, errUsers)
}

// sectionOnPage is a section of a report as texts: the scripts make elements of them.
type sectionOnPage struct {
	Title    string          `json:"title"`
	Words    []string        `json:"words"`
	Warnings []string        `json:"warnings"`
	Pictures []pictureOnPage `json:"pictures"`
	Tables   []captioned     `json:"tables"`
}

// pictureOnPage is where a picture is, from the page's address.
type pictureOnPage struct {
	Address string `json:"address"`
	Caption string `json:"caption"`
}

// captioned is a table of a report.
type captioned struct {
	Caption string     `json:"caption"`
	Titles  []string   `json:"titles"`
	Words   []bool     `json:"words"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note"`
}

// sectionsOf are sections of the report of the folder at an address. Pictures are numbered over all of them.
func sectionsOf(sections []report.Section, at string) []sectionOnPage {
	all := []sectionOnPage{}
	pictures := 0
	for _, s := range sections {
		one := sectionOnPage{Title: s.Title, Words: append([]string{}, s.Words...), Warnings: []string{}, Pictures: []pictureOnPage{}, Tables: []captioned{}}
		for _, w := range s.Warnings {
			one.Warnings = append(one.Warnings, w.Text)
		}
		for _, figure := range s.Figures {
			one.Pictures = append(one.Pictures, pictureOnPage{fmt.Sprintf("%s/picture/%d", at, pictures), figure.Caption})
			pictures++
		}
		for _, t := range s.Tables {
			one.Tables = append(one.Tables, captionedOf(t))
		}
		all = append(all, one)
	}
	return all
}

func captionedOf(t report.Table) captioned {
	c := captioned{Caption: t.Caption, Titles: []string{}, Words: []bool{}, Rows: [][]string{}, Note: t.Note}
	for _, cell := range t.Header {
		c.Titles, c.Words = append(c.Titles, cell.Text), append(c.Words, cell.Class != "number")
	}
	for _, row := range t.Rows {
		var texts []string
		for _, cell := range row {
			texts = append(texts, cell.Text)
		}
		c.Rows = append(c.Rows, texts)
	}
	return c
}

// picture answers with a picture of a folder's sections, by its number.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	path, ok := s.folderOf(w, r)
	if !ok {
		return
	}
	study, err := s.studyOf(path)
	if err != nil {
		answer(w, "", "", nil, err)
		return
	}
	var figures []report.Figure
	for _, section := range study.Sections {
		figures = append(figures, section.Figures...)
	}
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 0 || number >= len(figures) {
		http.Error(w, "There is no such picture.", http.StatusNotFound)
		return
	}
	answer(w, "image/svg+xml", "", []byte(figures[number].SVG), nil)
}
