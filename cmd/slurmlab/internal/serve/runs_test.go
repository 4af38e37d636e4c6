package serve_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/serve"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// document is what these tests read of a run.
type document struct {
	listedRun
	Basis  string      `json:"basis"`
	Now    float64     `json:"now"`
	Jobs   []jobOnPage `json:"jobs_of"`
	Curves struct {
		Cores [][2]float64 `json:"cores"`
		Queue [][2]float64 `json:"queue"`
	} `json:"curves"`
	Metrics *struct {
		Rows [][]string `json:"rows"`
	} `json:"metrics"`
	Warnings []string `json:"warnings"`
}

type jobOnPage struct {
	ID       int          `json:"id"`
	State    string       `json:"state"`
	Submit   float64      `json:"submit"`
	Start    *float64     `json:"start"`
	Finish   *float64     `json:"finish"`
	Wait     *float64     `json:"wait"`
	Slowdown *float64     `json:"slowdown"`
	Cores    int          `json:"cores"`
	Rects    [][2]float64 `json:"rects"`
	Turns    []struct {
		What   string  `json:"what"`
		Why    string  `json:"why"`
		From   float64 `json:"from"`
		Cycles int     `json:"cycles"`
	} `json:"turns"`
}

// A complete run is shown as by the other commands. Each job has its times, and the area of its bars is its part of
// the machine.
func TestCompleteRun(t *testing.T) {
	s := open(t, recorded)
	key := s.runs()["S-V.2-auction-seed1"].Key
	var d document
	s.data("api/run/"+key, &d)
	dir, err := trace.Open(filepath.Join(recorded, "S-V.2-auction-seed1"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.Basis != "accounting" || d.Now != 0 || d.Metrics == nil || len(d.Metrics.Rows) != len(metric.Measures()) || len(d.Jobs) != len(r.Jobs) {
		t.Fatalf("got basis %s, now %g and %d jobs", d.Basis, d.Now, len(d.Jobs))
	}
	for i, j := range r.Jobs {
		got := d.Jobs[i]
		if got.ID != j.ID || *got.Start != j.Start || *got.Finish != j.Finish || *got.Wait != j.Waiting() || *got.Slowdown != metric.Slowdown(j) || got.Cores != j.AllocCores {
			t.Fatalf("job %d: got %+v", j.ID, got)
		}
		nodes := 0.0
		for _, rect := range got.Rects {
			nodes += rect[1] - rect[0]
		}
		if want := float64(j.AllocCores) / float64(r.Run.Machine.Cores); math.Abs(nodes-want) > 1e-3*float64(len(got.Rects)+1) {
			t.Errorf("job %d has the height of %g nodes, want %g", j.ID, nodes, want)
		}
	}
	used := metric.NewSeries(r.Run.Machine, r.Jobs).UsedCores
	if len(d.Curves.Cores) != len(used) {
		t.Errorf("%d points of cores, want %d", len(d.Curves.Cores), len(used))
	}
	var told serve.Explanation
	if s.data("api/run/"+key+"/explain/7", &told); told.Text != "job 7 of S-V.2-auction-seed1.zip" {
		t.Errorf("explained as %+v", told)
	}
}

// Tables are those that "metrics" writes.
func TestTables(t *testing.T) {
	s := open(t, recorded)
	key := s.runs()["S-V.2-backfill-seed1"].Key
	dir, err := trace.Open(filepath.Join(recorded, "S-V.2-backfill-seed1"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var jobs, series bytes.Buffer
	if err := trace.WriteJobsCSV(&jobs, r.Run.Workload, metric.Records(r.Run.Machine, r.Jobs)); err != nil {
		t.Fatal(err)
	}
	if err := metric.WriteSeries(&series, metric.NewSeries(r.Run.Machine, r.Jobs)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"jobs.csv": jobs.String(), "series.csv": series.String()} {
		answer, got := s.get("api/run/" + key + "/" + name)
		if got != want {
			t.Errorf("%s differs from the file of the run", name)
		}
		if to := answer.Header.Get("Content-Disposition"); to != `attachment; filename="S-V.2-backfill-seed1-`+name+`"` {
			t.Errorf("%s is saved as %s", name, to)
		}
	}
	_, text := s.get("api/run/" + key + "/metrics.csv")
	if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || len(rows) != len(metric.Measures())+1 {
		t.Errorf("metrics.csv: %d rows, %v", len(rows), err)
	}
	if answer, _ := s.get("api/run/" + key + "/run.json"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("run.json: %s", answer.Status)
	}
}

// A run that is under way is known from its cycles, says so, and is read again once they
// have grown; what has not changed is not sent again.
func TestUnderWay(t *testing.T) {
	folder := t.TempDir()
	record := map[string]any{"status": "incomplete", "reason": "slurmlab ended before it could record how the run went"}
	path := copyRun(t, folder, "live", record, "sacct.txt", "sdiag.txt")
	cycles, err := os.ReadFile(filepath.Join(path, "cycles.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(cycles), "\n")
	write := func(n int, rest string) {
		if writeErr := os.WriteFile(filepath.Join(path, "cycles.jsonl"), []byte(strings.Join(lines[:n], "")+rest), 0o644); writeErr != nil {
			t.Fatal(writeErr)
		}
	}
	// The last line is being written.
	write(20, lines[20][:30])
	lock, err := os.Open(filepath.Join(path, "workload.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	listed := s.runs()["live"]
	if !listed.UnderWay || listed.Reason != "" || listed.Status != "incomplete" {
		t.Errorf("listed as %+v", listed)
	}
	address := "/" + token + "/api/run/" + listed.Key
	var early document
	s.data("api/run/"+listed.Key, &early)
	started := 0
	for _, j := range early.Jobs {
		if j.Start != nil {
			started++
			if *j.Start < j.Submit || *j.Finish > early.Now || len(j.Rects) == 0 {
				t.Errorf("job %+v by %g s", j, early.Now)
			}
		} else if j.State != "PENDING" || j.Submit > early.Now {
			t.Errorf("job %+v by %g s", j, early.Now)
		}
	}
	if early.Basis != "cycles" || early.Metrics != nil || started == 0 || early.Now <= 0 {
		t.Fatalf("basis %s, %d started by %g s", early.Basis, started, early.Now)
	}
	first, _ := s.send(http.MethodGet, address, nil)
	stamp := first.Header.Get("ETag")
	same := func(r *http.Request) { r.Header.Set("If-None-Match", stamp) }
	if again, body := s.send(http.MethodGet, address, same); again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("asked again: %s with %d bytes", again.Status, len(body))
	}
	write(60, "")
	if grown, _ := s.send(http.MethodGet, address, same); grown.StatusCode != http.StatusOK {
		t.Errorf("after the cycles have grown: %s", grown.Status)
	}
	var later document
	s.data("api/run/"+listed.Key, &later)
	if later.Now <= early.Now {
		t.Errorf("known up to %g s, before that up to %g s", later.Now, early.Now)
	}
	// The process that carried it out is gone.
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if gone := s.runs()["live"]; gone.UnderWay || gone.Reason == "" {
		t.Errorf("listed as %+v without its process", gone)
	}
}

// What is known early agrees with the accounting: the jobs that had started, and when.
func TestCyclesAgreeWithAccounting(t *testing.T) {
	folder := t.TempDir()
	record := map[string]any{"status": "incomplete", "reason": "x"}
	copyRun(t, folder, "early", record, "sacct.txt")
	copyRun(t, folder, "stopped", record)
	s := open(t, folder)
	var early, broken document
	s.data("api/run/"+s.runs()["early"].Key, &early)
	s.data("api/run/"+s.runs()["stopped"].Key, &broken)
	if early.Basis != "cycles" || broken.Basis != "accounting" || len(broken.Jobs) != len(early.Jobs) {
		t.Fatalf("%s with %d jobs and %s with %d", early.Basis, len(early.Jobs), broken.Basis, len(broken.Jobs))
	}
	for i, j := range broken.Jobs {
		// An agent's release takes less than a virtual second.
		if off := *j.Start - *early.Jobs[i].Start; off < -1 || off > 2 {
			t.Errorf("job %d starts %g s after its release", j.ID, off)
		}
	}
	if broken.Metrics != nil || len(broken.Warnings) == 0 || !strings.Contains(broken.Warnings[0], "incomplete") {
		t.Errorf("a broken run has metrics, or does not say that it has none: %q", broken.Warnings)
	}
}

// A run that cannot be read is listed with the reason, and hides none of the others.
func TestUnreadable(t *testing.T) {
	folder := t.TempDir()
	copyRun(t, folder, "good", nil)
	if err := os.WriteFile(filepath.Join(copyRun(t, folder, "torn", nil), "run.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copyRun(t, folder, "bad", nil), "sacct.txt"), []byte("no header\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "none.zip"), []byte("no archive"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	runs := s.runs()
	if len(runs) != 4 || runs["good"].Status != "complete" || !strings.Contains(runs["torn"].Unreadable, "run.json") || !strings.Contains(runs["none"].Unreadable, "none.zip") {
		t.Errorf("listed: %+v", runs)
	}
	for name, want := range map[string]string{"torn": "run.json", "bad": "sacct.txt:1", "none": "none.zip"} {
		answer, body := s.get("api/run/" + runs[name].Key)
		if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%s: %s: %s", name, answer.Status, body)
		}
	}
}

// Paths without runs are all named before anything is served.
func TestNoRuns(t *testing.T) {
	empty := t.TempDir()
	_, err := serve.New(serve.Options{Paths: []string{"nowhere", empty, recorded}, Token: token})
	if err == nil || !strings.Contains(err.Error(), "nowhere") || !strings.Contains(err.Error(), empty+" is no run") || strings.Contains(err.Error(), recorded) {
		t.Errorf("got %v", err)
	}
}

// Runs are found however deep "runs" is, what was set aside is not, and a run that came
// later is there.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	copyRun(t, filepath.Join(folder, "comparison"), "one", nil)
	copyRun(t, filepath.Join(folder, "comparison", run.AsideName), "aside", nil)
	s := open(t, folder)
	if runs := s.runs(); len(runs) != 1 || runs["one"].Policy != "auction" {
		t.Errorf("found %+v", runs)
	}
	copyRun(t, filepath.Join(folder, "study"), "two", nil)
	if runs := s.runs(); len(runs) != 2 {
		t.Errorf("found %+v", runs)
	}
}
