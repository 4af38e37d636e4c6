package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/results/trace"
)

// listing is all runs, folder by folder.
type listing struct {
	Version string         `json:"version"`
	Lines   []string       `json:"lines"`
	Folders []folderOnPage `json:"folders"`
}

type folderOnPage struct {
	Key  string    `json:"key"`
	Path string    `json:"path"`
	Runs []summary `json:"runs"`
}

// summary is what run.json says of a run, or why it cannot be read.
type summary struct {
	Key      string    `json:"key"`
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Policy   string    `json:"policy"`
	Machine  string    `json:"machine"`
	Workload string    `json:"workload"`
	Replica  string    `json:"replica"`
	Backend  string    `json:"backend"`
	Jobs     int       `json:"jobs"`
	Started  time.Time `json:"started"`
	Status   string    `json:"status"`
	Reason   string    `json:"reason,omitempty"`
	// UnderWay says that a process carries the run out.
	UnderWay bool `json:"under_way"`
	Archived bool `json:"archived"`
	// Unreadable says why run.json could not be read; then it is all that is known.
	Unreadable string `json:"unreadable,omitempty"`
}

func (server *Server) summaryOf(path string) summary {
	s := summary{Key: keyOf(path), Name: filepath.Base(path), Path: path}
	dir, err := trace.Open(path)
	var r trace.Run
	if err == nil {
		r, err = server.refused.read(dir)
	}
	if err != nil {
		s.Status, s.Unreadable = "unreadable", err.Error()
		return s
	}
	s.Policy, s.Machine, s.Workload, s.Replica, s.Backend = r.Policy, r.Machine.Name, r.Workload, r.Replica(), r.BackendName()
	s.Jobs, s.Started, s.Status, s.Reason, s.Archived = r.Jobs, r.Started, string(r.Status), r.Reason, dir.Archived()
	if r.Status != trace.StatusComplete && run.UnderWay(dir) {
		s.UnderWay, s.Reason = true, ""
	}
	return s
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	l := listing{Version: s.options.Version, Lines: plot.LineColours(), Folders: []folderOnPage{}}
	for _, f := range s.shelf.look() {
		on := folderOnPage{Key: f.key, Path: f.path}
		for _, run := range f.runs {
			on.Runs = append(on.Runs, s.summaryOf(run))
		}
		l.Folders = append(l.Folders, on)
	}
	data, err := json.Marshal(l)
	answer(w, "application/json", "", data, err)
}

// open finds the run that the request names, and answers where there is none.
func (s *Server) open(w http.ResponseWriter, r *http.Request) (trace.Dir, string, bool) {
	path, known := s.shelf.find(r.PathValue("run"))
	if !known {
		http.Error(w, "There is no such run, or it is gone.", http.StatusNotFound)
		return trace.Dir{}, "", false
	}
	dir, err := trace.Open(path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return trace.Dir{}, "", false
	}
	return dir, path, true
}

func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	dir, path, ok := s.open(w, r)
	if !ok {
		return
	}
	stamp := stampOf(dir)
	if r.Header.Get("If-None-Match") == stamp {
		w.Header().Set("ETag", stamp)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data, err := s.runs.get(r.PathValue("run"), stamp, func() ([]byte, error) {
		d, err := newDocument(dir, s.summaryOf(path))
		if err != nil {
			return nil, err
		}
		return json.Marshal(d)
	})
	answer(w, "application/json", stamp, data, err)
}

// explain answers with the words of "slurmlab explain", or why there are none.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	dir, _, ok := s.open(w, r)
	if !ok {
		return
	}
	job, err := strconv.Atoi(r.PathValue("job"))
	var told Explanation
	if err == nil {
		told, err = s.options.Explain(dir, job)
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(told)
	}
	answer(w, "application/json", "", data, err)
}

// runTable answers with a table of a complete run as CSV: the same as the file of that
// name in its directory.
func (s *Server) runTable(w http.ResponseWriter, r *http.Request) {
	write, known := map[string]func(io.Writer, metric.Result) error{
		"metrics.csv": writeMetrics,
		"jobs.csv": func(w io.Writer, r metric.Result) error {
			return trace.WriteJobsCSV(w, r.Run.Workload, metric.Records(r.Run.Machine, r.Jobs))
		},
		"series.csv": func(w io.Writer, r metric.Result) error {
			return metric.WriteSeries(w, metric.NewSeries(r.Run.Machine, r.Jobs))
		},
	}[r.PathValue("table")]
	if !known {
		http.Error(w, "There is no such table.", http.StatusNotFound)
		return
	}
	dir, path, ok := s.open(w, r)
	if !ok {
		return
	}
	var text bytes.Buffer
	result, err := metric.Load(dir)
	if err == nil {
		err = write(&text, result)
	}
	if err == nil {
		attach(w, filepath.Base(trace.Unarchived(path))+"-"+r.PathValue("table"))
	}
	s.answerCSV(w, text.Bytes(), err)
}

func writeMetrics(w io.Writer, r metric.Result) error {
	t, err := table.Measures([]metric.Metrics{*r.Metrics}, metric.Measures())
	if err != nil {
		return err
	}
	return t.WriteCSV(w)
}

// attach has the browser save the answer under a name.
func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}

// answer sends data, or the error as a sentence that the page shows.
func answer(w http.ResponseWriter, kind, stamp string, data []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", kind)
	if stamp != "" {
		w.Header().Set("ETag", stamp)
	}
	// The reader may be gone.
	_, _ = w.Write(data)
}
