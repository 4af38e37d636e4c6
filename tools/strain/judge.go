package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// tolerance is the most that a job may be off: one unit of Slurm's times.
const tolerance = 1

// look is how often Slurm looks for jobs at their limit (PERIODIC_TIMEOUT in src/slurmctld/slurmctld.h), in seconds.
const look = 30

// verdict is what a run was found to be.
type verdict struct {
	Run    string `json:"run"`
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Off are the jobs that ended or came at another time than their workload says.
	Off []string `json:"off,omitempty"`
	// Unsaid is why the run does not say so, Wrong what it says of jobs that are in time; empty for a run that is right.
	Unsaid string `json:"unsaid,omitempty"`
	Wrong  string `json:"wrong,omitempty"`
}

func (v verdict) plain() bool {
	return v.Status == "complete" && len(v.Off) == 0 && v.Unsaid == "" && v.Wrong == ""
}

func (v verdict) String() string {
	parts := []string{v.Run, v.Status}
	if v.Reason != "" {
		parts = append(parts, v.Reason)
	}
	parts = append(parts, v.Off...)
	for title, text := range map[string]string{"UNSAID ": v.Unsaid, "WRONG ": v.Wrong} {
		if text != "" {
			parts = append(parts, title+text)
		}
	}
	return strings.Join(parts, ": ")
}

const verdictName = "verdict.json"

func (v verdict) write(dir string) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, verdictName), data, 0o644)
}

func readVerdict(dir string) (v verdict, err error) {
	data, err := os.ReadFile(filepath.Join(dir, verdictName))
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

// record is what is read of run.json. It is not the type of the product, whose faults it is to find.
type record struct {
	Status        string  `json:"status"`
	Reason        string  `json:"reason"`
	ArrivalLagMax float64 `json:"arrival_lag_max_s"`
	Lateness      struct {
		Ends map[string]struct {
			Over int `json:"over"`
		} `json:"ends"`
	} `json:"lateness"`
}

// judge compares a run with its workload.
func judge(c cell, printed string) (verdict, error) {
	v := verdict{Run: filepath.Base(c.dir)}
	data, err := os.ReadFile(filepath.Join(c.dir, runName, "run.json"))
	if err != nil {
		return v, fmt.Errorf("run %s: %w:\n%s", c.dir, err, printed)
	}
	var r record
	if err = json.Unmarshal(data, &r); err != nil {
		return v, fmt.Errorf("run %s: %w", c.dir, err)
	}
	v.Status, v.Reason = r.Status, r.Reason
	rows, err := readRows(filepath.Join(c.dir, runName, "sacct.txt"))
	if errors.Is(err, os.ErrNotExist) && r.Status != "complete" {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("run %s: %w", c.dir, err)
	}
	ends, others := compare(c.jobs(), c.events(), rows)
	v.Off = slices.Concat(ends, others)
	if r.Status != "complete" {
		// Its reason says that it is not to be trusted.
		return v, nil
	}
	told := 0
	for _, e := range r.Lateness.Ends {
		told += e.Over
	}
	warned := strings.Contains(printed, "off by more than 1 s of virtual time") || strings.Contains(printed, "s of virtual time after its arrival")
	switch {
	case told < len(ends):
		v.Unsaid = fmt.Sprintf("run.json has %d late ends, sacct.txt %d", told, len(ends))
	case told > len(ends):
		v.Wrong = fmt.Sprintf("run.json has %d late ends, sacct.txt %d", told, len(ends))
	case len(v.Off) > 0 && !warned:
		v.Unsaid = "no warning was printed"
	}
	return v, nil
}

// row is a job in sacct.txt.
type row struct {
	name, state        string
	submit, start, end time.Time
}

func readRows(path string) ([]row, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := csv.NewReader(file)
	lines.Comma, lines.LazyQuotes = '|', true
	all, err := lines.ReadAll()
	if err != nil || len(all) == 0 {
		return nil, fmt.Errorf("read %s: %d lines, %w", path, len(all), err)
	}
	cell := func(line []string, field string) string { return line[slices.Index(all[0], field)] }
	at := func(line []string, field string) time.Time {
		// A job that never started has no time.
		t, _ := time.Parse("2006-01-02T15:04:05", cell(line, field))
		return t
	}
	var rows []row
	for _, line := range all[1:] {
		state, _, _ := strings.Cut(cell(line, "State"), " ")
		started := cell(line, "NodeList") != "None assigned" && cell(line, "NodeList") != ""
		r := row{name: cell(line, "JobName"), state: state, submit: at(line, "Submit"), end: at(line, "End")}
		if started {
			r.start = at(line, "Start")
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// compare names what is off: ends of jobs, and arrivals and what events did.
func compare(jobs []workloads.Job, happens []events.Event, rows []row) (ends, others []string) {
	byName := map[string]row{}
	for _, r := range rows {
		byName[r.name] = r
	}
	// The run began so long before the first submission.
	began := byName["1"].submit.Add(-time.Duration(jobs[0].Arrival) * time.Second)
	for _, j := range jobs {
		r, known := byName[strconv.Itoa(j.ID)]
		if !known || r.end.IsZero() {
			others = append(others, fmt.Sprintf("job %d has no end", j.ID))
			continue
		}
		if late := r.submit.Sub(began).Seconds() - float64(j.Arrival); late > tolerance || late < -tolerance {
			others = append(others, fmt.Sprintf("job %d was submitted %g s late", j.ID, late))
		}
		if r.state == "NODE_FAIL" {
			others = append(others, killed(j, r, began, happens)...)
			continue
		}
		least, most := allowed(j, r)
		took := r.end.Sub(r.submit).Seconds()
		if !r.start.IsZero() {
			took = r.end.Sub(r.start).Seconds()
		}
		if took < least-tolerance || took > most+tolerance {
			ends = append(ends, fmt.Sprintf("job %d (%s) took %g s, want %g to %g", j.ID, j.Outcome, took, least, most))
		}
	}
	return ends, others
}

// allowed is how long a job has to run or, if it never started, to wait.
func allowed(j workloads.Job, r row) (least, most float64) {
	seconds := float64(j.Runtime)
	switch {
	case j.Outcome == workloads.Timeout:
		return seconds, seconds + look
	case j.Outcome == workloads.CancelledPending && r.start.IsZero():
		return float64(j.CancelAfter), float64(j.CancelAfter)
	}
	return seconds, seconds
}

// killed says that a job was killed at another instant than that of an event.
func killed(j workloads.Job, r row, began time.Time, happens []events.Event) []string {
	for _, e := range happens {
		late := r.end.Sub(began).Seconds() - float64(e.At)
		if e.Kind == events.Down && late >= -tolerance && late <= tolerance {
			return nil
		}
	}
	return []string{fmt.Sprintf("job %d was killed %g s after the start, when no event was", j.ID, r.end.Sub(began).Seconds())}
}

// result counts runs.
type result struct {
	runs, off, said, failed int
	unsaid, wrong           []string
}

func (r *result) add(v verdict) {
	r.runs++
	if v.Status != "complete" {
		r.failed++
	}
	if len(v.Off) > 0 {
		r.off++
		if v.Unsaid == "" {
			r.said++
		}
	}
	if v.Unsaid != "" {
		r.unsaid = append(r.unsaid, v.Run)
	}
	if v.Wrong != "" {
		r.wrong = append(r.wrong, v.Run)
	}
}

func (r result) String() string {
	return fmt.Sprintf("%d runs: %d with a job off by more than %d s, of which %d said so; %d disagree with sacct.txt; %d did not complete",
		r.runs, r.off, tolerance, r.said, len(r.unsaid)+len(r.wrong), r.failed)
}

// inTime is the share of runs in which nothing may be off.
const inTime = 0.99

func (r result) verdict() error {
	switch {
	case len(r.unsaid)+len(r.wrong) > 0:
		return fmt.Errorf("%w: these runs disagree with their accounting: %s", errLate, strings.Join(slices.Concat(r.unsaid, r.wrong), ", "))
	case float64(r.off) > (1-inTime)*float64(r.runs):
		return fmt.Errorf("%w: a job was off in %d of %d runs, want %g %% at most", errLate, r.off, r.runs, 100-100*inTime)
	}
	return nil
}
