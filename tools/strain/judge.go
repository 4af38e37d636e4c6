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

// told says whether a run names what was late in it.
type told string

const (
	nothing told = ""
	yes     told = "yes"
	no      told = "no"
	// wrongly is for a run that calls a job late that was in time.
	wrongly told = "wrongly"
)

// verdict is what a run was found to be.
type verdict struct {
	status, reason string
	// off are the jobs that ended or came at another time than their workload says.
	off  []string
	told told
	// fault says in which words the run and its accounting disagree, empty if they do not.
	fault string
}

func (v verdict) plain() bool { return v.status == complete && len(v.off) == 0 && v.fault == "" }

func (v verdict) String() string {
	parts := []string{v.status}
	if v.reason != "" {
		parts = append(parts, v.reason)
	}
	parts = append(parts, v.off...)
	if v.fault != "" {
		parts = append(parts, "TOLD "+strings.ToUpper(string(v.told))+" "+v.fault)
	}
	return strings.Join(parts, ": ")
}

// complete is the status of a run to be trusted.
const complete = "complete"

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
func judge(c cell, printed string) (v verdict, err error) {
	data, err := os.ReadFile(filepath.Join(c.dir, runName, "run.json"))
	if err != nil {
		return v, fmt.Errorf("run %s: %w:\n%s", c.dir, err, printed)
	}
	var r record
	if err = json.Unmarshal(data, &r); err != nil {
		return v, fmt.Errorf("run %s: %w", c.dir, err)
	}
	v.status, v.reason = r.Status, r.Reason
	rows, err := readRows(filepath.Join(c.dir, runName, "sacct.txt"))
	if errors.Is(err, os.ErrNotExist) && r.Status != complete {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("run %s: %w", c.dir, err)
	}
	ends, others := compare(c.jobs(), c.events(), rows)
	v.off = slices.Concat(ends, others)
	if len(v.off) > 0 {
		v.told = yes
	}
	if r.Status != complete {
		// Its reason says that it is not to be trusted.
		return v, nil
	}
	late := 0
	for _, e := range r.Lateness.Ends {
		late += e.Over
	}
	warned := strings.Contains(printed, "off by more than 1 s of virtual time") || strings.Contains(printed, "s of virtual time after its arrival")
	disagree := fmt.Sprintf("run.json has %d late ends, sacct.txt %d", late, len(ends))
	switch {
	case late < len(ends):
		v.told, v.fault = no, disagree
	case late > len(ends):
		v.told, v.fault = wrongly, disagree
	case len(v.off) > 0 && !warned:
		v.told, v.fault = no, "no warning was printed"
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

// killed says that a job was killed when no event was.
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
	runs, off, said, incomplete int
	// faulty are the runs that disagree with their accounting, by name.
	faulty []string
}

func (r *result) add(run string, v verdict) {
	r.runs++
	if v.status != complete {
		r.incomplete++
	}
	if len(v.off) > 0 {
		r.off++
	}
	if v.told == yes {
		r.said++
	}
	if v.fault != "" {
		r.faulty = append(r.faulty, run)
	}
}

func (r result) String() string {
	return fmt.Sprintf("%d runs: %d with a job off by more than %d s, of which %d said so; %d disagree with sacct.txt; %d did not complete",
		r.runs, r.off, tolerance, r.said, len(r.faulty), r.incomplete)
}

// inTime is the share of runs in which nothing may be off.
const inTime = 0.99

func (r result) verdict() error {
	switch {
	case len(r.faulty) > 0:
		return fmt.Errorf("%w: these runs disagree with their accounting: %s", errLate, strings.Join(r.faulty, ", "))
	case float64(r.off) > (1-inTime)*float64(r.runs):
		return fmt.Errorf("%w: a job was off in %d of %d runs, want %g %% at most", errLate, r.off, r.runs, 100-100*inTime)
	}
	return nil
}
