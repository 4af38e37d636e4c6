package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
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
	dirs := map[string]bool{}
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
			var file bytes.Buffer
			err := events.Write(&file, happens)
			if err == nil {
				_, err = events.Read(&file, "events.csv", m)
			}
			if err != nil || !c.slurm.Traits().Events {
				t.Errorf("%s: %v", c.dir, err)
			}
		}
	}
	if len(dirs) != 40 {
		t.Errorf("%d directories of 40 runs", len(dirs))
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
		unsaid, wrong       bool
	}{
		{"in time", `{"completed":{"over":0}}`, "", false, false, false},
		{"late and said", `{"completed":{"over":1}}`, warning, true, false, false},
		{"late and not printed", `{"completed":{"over":1}}`, "", true, true, false},
		{"late and not recorded", `{"completed":{"over":0}}`, warning, true, true, false},
		{"in time and called late", `{"completed":{"over":1}}`, warning, false, false, true},
	} {
		c := cell{slurm: backend.All().Of(backend.FrontEnd), policy: "backfill", seed: 2, dir: t.TempDir()}
		writeRun(t, c, `{"status":"complete","lateness":{"ends":`+tt.ends+`}}`, tt.late)
		v, err := judge(c, tt.printed)
		if err != nil || (len(v.Off) > 0) != tt.late || (v.Unsaid != "") != tt.unsaid || (v.Wrong != "") != tt.wrong {
			t.Errorf("%s: %+v, %v", tt.name, v, err)
		}
		var r result
		r.add(v)
		if bad := r.verdict() != nil; bad != (tt.late || tt.wrong) {
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
