package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
)

// studyOnPage is a folder compared.
type studyOnPage struct {
	Path       string   `json:"path"`
	Findings   []string `json:"findings"`
	Matrix     Matrix   `json:"matrix"`
	Comparison *tableOf `json:"comparison,omitempty"`
	Runs       *tableOf `json:"runs,omitempty"`
	// WhatIf says that it is a what-if study, which has Sections and not a comparison of policies. Files are where its
	// tables are as CSV.
	WhatIf   bool            `json:"what_if"`
	Sections []sectionOnPage `json:"sections"`
	Files    []fileOnPage    `json:"files"`
}

// fileOnPage is a file that the page offers.
type fileOnPage struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// folderOf finds the folder that the request names, and answers where there is none.
func (s *Server) folderOf(w http.ResponseWriter, r *http.Request) (string, bool) {
	for _, f := range s.shelf.look() {
		if f.key == r.PathValue("folder") {
			return f.path, true
		}
	}
	http.Error(w, "There is no such folder, or it has no run any more.", http.StatusNotFound)
	return "", false
}

// studyOf compares a folder, or returns what was made of it as it is.
func (s *Server) studyOf(path string) (Study, error) {
	return s.studies.get(path, stampOfFolder(path), func() (Study, error) { return s.options.Study(path) })
}

func (s *Server) study(w http.ResponseWriter, r *http.Request) {
	path, ok := s.folderOf(w, r)
	if !ok {
		return
	}
	study, err := s.studyOf(path)
	if err != nil {
		answer(w, "application/json", "", nil, err)
		return
	}
	at := "api/folder/" + r.PathValue("folder")
	page := studyOnPage{Path: path, Findings: study.Findings, Matrix: study.Matrix, WhatIf: study.WhatIf, Sections: sectionsOf(study.Sections, at), Files: []fileOnPage{}}
	page.Matrix.Runs = slices.Clone(study.Matrix.Runs)
	for i := range page.Matrix.Runs {
		run := &page.Matrix.Runs[i]
		if key := keyOf(run.Path); s.shelf.has(key) {
			run.Key = key
		}
	}
	switch {
	case study.WhatIf && study.Complete > 0:
		for _, name := range []string{report.WhatIfName, report.AffectedName} {
			page.Files = append(page.Files, fileOnPage{name, at + "/" + name})
		}
	case study.Complete > 0:
		page.Comparison, page.Runs = newTable(study.Few.Wide(), at+"/comparison.csv"), newTable(study.Runs.Wide(), at+"/runs.csv")
	}
	data, err := json.Marshal(page)
	answer(w, "application/json", "", data, err)
}

// studyTable answers with a table of a folder as CSV, the same as "campaign report" writes
// under that name.
func (s *Server) studyTable(w http.ResponseWriter, r *http.Request) {
	of, known := map[string]func(Study) table.Table{
		"comparison.csv":    func(study Study) table.Table { return study.Comparison },
		"runs.csv":          func(study Study) table.Table { return study.Runs },
		report.WhatIfName:   func(study Study) table.Table { return study.Scenarios },
		report.AffectedName: func(study Study) table.Table { return study.Users },
	}[r.PathValue("table")]
	if !known {
		http.Error(w, "There is no such table.", http.StatusNotFound)
		return
	}
	path, ok := s.folderOf(w, r)
	if !ok {
		return
	}
	var text bytes.Buffer
	study, err := s.studyOf(path)
	if err == nil && study.Complete == 0 {
		err = fmt.Errorf("%s has no complete run", path)
	}
	if err == nil {
		err = of(study).WriteCSV(&text)
	}
	if err == nil {
		attach(w, filepath.Base(path)+"-"+r.PathValue("table"))
	}
	s.answerCSV(w, text.Bytes(), err)
}
