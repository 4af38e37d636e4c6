package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"

	"github.com/slurmlab/slurmlab/results/table"
)

// studyOnPage is a folder compared.
type studyOnPage struct {
	Path       string   `json:"path"`
	Findings   []string `json:"findings"`
	Comparison *tableOf `json:"comparison"`
	Runs       *tableOf `json:"runs"`
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

func (s *Server) study(w http.ResponseWriter, r *http.Request) {
	path, ok := s.folderOf(w, r)
	if !ok {
		return
	}
	study, err := s.options.Study(path)
	if err != nil {
		answer(w, "application/json", "", nil, err)
		return
	}
	at := "api/folder/" + r.PathValue("folder")
	data, err := json.Marshal(studyOnPage{
		Path: path, Findings: study.Findings,
		Comparison: newTable(study.Few.Wide(), at+"/comparison.csv"), Runs: newTable(study.Runs.Wide(), at+"/runs.csv"),
	})
	answer(w, "application/json", "", data, err)
}

// studyTable answers with a table of a folder as CSV, the same as "campaign report" writes
// under that name.
func (s *Server) studyTable(w http.ResponseWriter, r *http.Request) {
	of, known := map[string]func(Study) table.Table{
		"comparison.csv": func(study Study) table.Table { return study.Comparison },
		"runs.csv":       func(study Study) table.Table { return study.Runs },
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
	study, err := s.options.Study(path)
	if err == nil {
		err = of(study).WriteCSV(&text)
	}
	if err == nil {
		attach(w, filepath.Base(path)+"-"+r.PathValue("table"))
	}
	answer(w, "text/csv; charset=utf-8", "", text.Bytes(), err)
}
