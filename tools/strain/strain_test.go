package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Each run has jobs of each outcome that fit the machine, and events only where a cluster has them; a seed gives the same ones.
func TestCells(t *testing.T) {
	s := strain{seed: 1, out: "out"}
	m := workloads.Machine{Name: "strain", Nodes: 4, Cores: 8, GPUs: 2}
	dirs, happen := map[string]bool{}, map[string]int{}
	for i := range 40 {
		c := s.cell(i)
		dirs[c.dir] = true
		jobs := c.jobs()
		if !slices.Equal(jobs, c.jobs()) {
			t.Error("the seed does not decide")
		}
		for _, o := range workloads.Outcomes() {
			if !slices.ContainsFunc(jobs, func(j workloads.Job) bool { return j.Outcome == o }) {
				t.Errorf("%s has no job that is %s", c.dir, o)
			}
		}
		for _, j := range jobs {
			if faults := j.Validate(m); faults != nil {
				t.Error(faults)
			}
		}
		if happens := c.events(); happens != nil {
			happen[c.policy]++
			var file bytes.Buffer
			err := events.Write(&file, happens)
			if err == nil {
				_, err = events.Read(&file, "events.csv", m)
			}
			if err != nil || !c.on.Traits().Events {
				t.Errorf("%s: %v", c.dir, err)
			}
		}
	}
	if len(dirs) != 40 {
		t.Errorf("%d directories of 40 runs", len(dirs))
	}
	if want := map[string]int{"backfill": 10, "auction": 10}; !maps.Equal(happen, want) {
		t.Errorf("runs with events: %v, want %v", happen, want)
	}
}

// What is off is found whatever the outcome, and nothing else is (issue 38, line 0).
func TestCompare(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	ran := func(outcome workloads.Outcome, seconds int) (workloads.Job, row) {
		return workloads.Job{ID: 1, Arrival: 10, Runtime: 60, Outcome: outcome}, row{"1", outcome.State(), at(10), at(20), at(20 + seconds)}
	}
	for _, tt := range []struct {
		name    string
		outcome workloads.Outcome
		seconds int
		change  func(*workloads.Job, *row)
		off     bool
	}{
		{"in time", workloads.Completed, 61, nil, false},
		{"late", workloads.Failed, 62, nil, true},
		{"early", workloads.OutOfMemory, 58, nil, true},
		{"by the next look", workloads.Timeout, 91, nil, false},
		{"by the look after that", workloads.Timeout, 92, nil, true},
		{"cancelled as it starts", workloads.CancelledPending, 1, func(j *workloads.Job, _ *row) { j.Runtime, j.CancelAfter = 0, 600 }, false},
		{"cancelled after it started", workloads.CancelledPending, 153, func(j *workloads.Job, _ *row) { j.Runtime, j.CancelAfter = 0, 600 }, true},
		{"cancelled in the queue", workloads.CancelledPending, 31, func(j *workloads.Job, r *row) { j.Runtime, j.CancelAfter, r.start = 0, 40, time.Time{} }, false},
		{"cancelled late", workloads.CancelledPending, 33, func(j *workloads.Job, r *row) { j.Runtime, j.CancelAfter, r.start = 0, 40, time.Time{} }, true},
		{"killed by an event", workloads.Completed, 30, func(_ *workloads.Job, r *row) { r.state = "NODE_FAIL" }, false},
		{"killed at another time", workloads.Completed, 40, func(_ *workloads.Job, r *row) { r.state = "NODE_FAIL" }, true},
		{"without an end", workloads.Completed, 60, func(_ *workloads.Job, r *row) { r.end = time.Time{} }, true},
	} {
		j, r := ran(tt.outcome, tt.seconds)
		if tt.change != nil {
			tt.change(&j, &r)
		}
		ends, others := compare([]workloads.Job{j}, []events.Event{{At: 50, Kind: events.Down}}, []row{r})
		if off := len(ends)+len(others) > 0; off != tt.off {
			t.Errorf("%s: off %q %q", tt.name, ends, others)
		}
	}
	first, r := ran(workloads.Completed, 60)
	second, late := ran(workloads.Completed, 60)
	second.ID, second.Arrival, late.name, late.submit = 2, 15, "2", at(17)
	if ends, others := compare([]workloads.Job{first, second}, nil, []row{r, late}); len(ends) != 0 || len(others) != 1 || !strings.Contains(others[0], "job 2 was submitted 2 s late") {
		t.Errorf("a late submission: %q %q", ends, others)
	}
}

// A run with a job that is off has to say so, in run.json and on the terminal; one that says it of jobs in time is wrong.
func TestJudge(t *testing.T) {
	const warning = "warning: run: 1 of 4 ends of jobs (completed) were off by more than 1 s of virtual time; the worst: ..."
	for _, tt := range []struct {
		name, ends, printed string
		late                bool
		told                told
	}{
		{"in time", `{"completed":{"over":0}}`, "", false, nothing},
		{"late and said", `{"completed":{"over":1}}`, warning, true, yes},
		{"late and not printed", `{"completed":{"over":1}}`, "", true, no},
		{"late and not recorded", `{"completed":{"over":0}}`, warning, true, no},
		{"in time and called late", `{"completed":{"over":1}}`, warning, false, wrongly},
	} {
		c := cell{on: backend.All().Of(backend.FrontEnd), policy: "backfill", seed: 2, dir: t.TempDir()}
		writeRun(t, c, `{"status":"complete","lateness":{"ends":`+tt.ends+`}}`, tt.late)
		v, err := judge(c, tt.printed)
		if err != nil || (len(v.off) > 0) != tt.late || v.told != tt.told || (v.fault != "") != (tt.told == no || tt.told == wrongly) {
			t.Errorf("%s: %+v, %v", tt.name, v, err)
		}
		var r result
		r.add(c.name(), v)
		if bad := r.verdict() != nil; bad != (tt.late || tt.told == wrongly) {
			t.Errorf("%s: the result of this run alone: %v", tt.name, r.verdict())
		}
	}
}

// writeRun leaves the files of a run whose first completed job is late or not.
func writeRun(t *testing.T, c cell, record string, late bool) {
	t.Helper()
	dir := filepath.Join(c.dir, runName)
	text := "JobName|State|Submit|Start|End|NodeList\n"
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, j := range c.jobs() {
		submit := began.Add(time.Duration(j.Arrival) * time.Second)
		took := j.Runtime
		if late && j.Outcome == workloads.Completed {
			took, late = took+100, false
		}
		end := submit.Add(time.Duration(took) * time.Second)
		cells := []string{string('0' + rune(j.ID)), j.Outcome.State()}
		if j.ID == 10 {
			cells[0] = "10"
		}
		for _, at := range []time.Time{submit, submit, end} {
			cells = append(cells, at.Format("2006-01-02T15:04:05"))
		}
		text += strings.Join(append(cells, "n1"), "|") + "\n"
	}
	for name, content := range map[string]string{"run.json": record, "sacct.txt": text} {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// A record is read as it was written, whatever the texts in it, and counts runs by version, core and load. A second occasion
// adds to it.
func TestTable(t *testing.T) {
	here, before := setting{"0.1.0-b", "none", "none"}, setting{"0.1.0-a", "0", "files and containers"}
	want := []entry{
		{"2026-01-01", before, 1, "24.11", "backfill", verdict{status: complete}},
		{"2026-01-02", before, 2, "26.05", "auction", verdict{complete, "", []string{"job 1 (failed) took 9 s, want 3 to 4", "job 2 has no end"}, yes, ""}},
		{"2026-01-02", here, 1, "24.11", "backfill", verdict{"failed", "slurmctld died, \"why\"\nnobody knows", nil, nothing, ""}},
		{"2026-01-03", here, 2, "26.05", "backfill", verdict{complete, "", []string{"job 1 has no end"}, no, "no warning was printed"}},
	}
	record := table(filepath.Join(t.TempDir(), "record"))
	for i, e := range want {
		got, err := record.read()
		if err != nil || len(got) != i {
			t.Fatalf("%+v, %v, want %d", got, err, i)
		}
		if err = record.add(e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := record.read()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	counts := count(got)
	if want := []counted{
		{before, "2026-01-01", "2026-01-02", result{runs: 2, off: 1, said: 1}},
		{here, "2026-01-02", "2026-01-03", result{runs: 2, off: 1, incomplete: 1, faulty: []string{"26.05-backfill-seed2"}}},
	}; !reflect.DeepEqual(counts, want) {
		t.Errorf("%+v, want %+v", counts, want)
	}
	if err = record.writeCounts(counts); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(record.counts())
	if want := "0.1.0-b,none,none,2026-01-02,2026-01-03,2,1,0,1,1\n"; err != nil || !strings.HasSuffix(string(text), want) {
		t.Errorf("%s, %v, want %s last", text, err, want)
	}
}

// Only runs that the record lacks are made. A row of another version does not count.
func TestRunsGoOnWhereTheRecordEnds(t *testing.T) {
	dir := t.TempDir()
	slurmlab := filepath.Join(dir, "slurmlab")
	// It makes no run, which ends the command.
	if err := os.WriteFile(slurmlab, []byte("#!/bin/sh\necho \"$@\" >>"+filepath.Join(dir, "asked")+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	images := map[string]*string{}
	for _, b := range backend.All() {
		images[b.Name()] = new(string)
	}
	s := strain{slurmlab: slurmlab, version: "b", core: "none", record: table(filepath.Join(dir, "record")), out: filepath.Join(dir, "out"), images: images,
		runs: 3, parallel: 1, seed: 1, idle: true}
	for i, version := range []string{"b", "b", "a"} {
		of := s.setting()
		of.version = version
		c := s.cell(i)
		if err := s.record.add(entry{"2026-01-01", of, c.seed, c.on.Name(), c.policy, verdict{status: complete}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.run(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that there is no run.json", err)
	}
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if want := s.cell(2).name() + "/"; err != nil || strings.Count(string(asked), "\n") != 1 || !strings.Contains(string(asked), want) {
		t.Errorf("asked for %s, %v, want %s alone", asked, err, want)
	}
}

// The record in the documents has each run of a version once, and counts what it has.
func TestRecordedRuns(t *testing.T) {
	record := table("../../docs/records/038-strain")
	all, err := record.read()
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, e := range all {
		key := fmt.Sprint(e.setting, e.run())
		if has[key] {
			t.Errorf("%s of %+v stands there twice", e.run(), e.setting)
		}
		has[key] = true
	}
	made := table(t.TempDir())
	if err = made.writeCounts(count(all)); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(made.counts())
	got, readErr := os.ReadFile(record.counts())
	if err != nil || readErr != nil || !bytes.Equal(got, want) {
		t.Errorf("%s has\n%s%v, want\n%s%v", record.counts(), got, readErr, want, err)
	}
}
