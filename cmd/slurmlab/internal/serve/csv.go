package serve

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// asCSV is rows as text.
func asCSV(rows [][]string) ([]byte, error) {
	var text bytes.Buffer
	err := csv.NewWriter(&text).WriteAll(rows)
	return text.Bytes(), err
}

// answerCSV answers with a table, which most readers open with a program of spreadsheets.
func (s *Server) answerCSV(w http.ResponseWriter, data []byte, err error) {
	if err == nil && !s.options.RawCells {
		data, err = text.Spreadsheet(data)
	}
	answer(w, "text/csv; charset=utf-8", "", data, err)
}

// folderList answers with the runs of a folder, whatever their state.
func (s *Server) folderList(w http.ResponseWriter, r *http.Request) {
	path, ok := s.folderOf(w, r)
	if !ok {
		return
	}
	rows := [][]string{{"run", "path", "policy", "machine", "workload", "replica", "backend", "jobs", "started", "status", "under_way", "why"}}
	for _, f := range s.shelf.look() {
		if f.path != path {
			continue
		}
		for _, run := range f.runs {
			rows = append(rows, listRow(s.summaryOf(run)))
		}
	}
	data, err := asCSV(rows)
	if err == nil {
		attach(w, filepath.Base(path)+"-list.csv")
	}
	s.answerCSV(w, data, err)
}

func listRow(s summary) []string {
	jobs, started, why := "", "", s.Reason
	if s.Unreadable != "" {
		why = s.Unreadable
	} else {
		jobs, started = strconv.Itoa(s.Jobs), s.Started.Format(time.RFC3339)
	}
	return []string{s.Name, s.Path, s.Policy, s.Machine, s.Workload, s.Replica, s.Backend, jobs, started, s.Status, strconv.FormatBool(s.UnderWay), why}
}

// jobsSoFar answers with what is known of the jobs of a run in any state. What is not known
// is left empty; a complete run has its jobs.csv.
func (s *Server) jobsSoFar(w http.ResponseWriter, r *http.Request) {
	dir, path, ok := s.open(w, r)
	if !ok {
		return
	}
	var data []byte
	d, err := newDocument(dir, s.summaryOf(path))
	if err == nil {
		data, err = asCSV(jobRows(d.Jobs))
	}
	if err == nil {
		attach(w, filepath.Base(trace.Unarchived(path))+"-jobs-so-far.csv")
	}
	s.answerCSV(w, data, err)
}

func jobRows(jobs []job) [][]string {
	rows := [][]string{{"job", "slurm_id", "state", "submitted_s", "started_s", "ended_s", "waited_s", "slowdown", "cores", "gpus", "nodes", "where", "class", "user"}}
	seconds := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', -1, 64)
	}
	for _, j := range jobs {
		slurm, ended := "", j.Finish
		if j.Slurm != 0 {
			slurm = strconv.Itoa(j.Slurm)
		}
		if j.State == running {
			// Its bar ends where the run was looked at.
			ended = nil
		}
		rows = append(rows, []string{
			strconv.Itoa(j.ID), slurm, j.State, seconds(&j.Submit), seconds(j.Start), seconds(ended), seconds(j.Wait), seconds(j.Slowdown),
			strconv.Itoa(j.Cores), strconv.Itoa(j.GPUs), strconv.Itoa(j.Nodes), j.List, j.Class, j.User,
		})
	}
	return rows
}
