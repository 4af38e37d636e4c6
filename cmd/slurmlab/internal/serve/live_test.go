package serve_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// underWay makes of a recorded run under backfill what its directory has while it goes on, and
// returns the run as it went, and what of it is known at a time.
func underWay(t *testing.T, folder string) (trace.Dir, metric.Result, func(until float64) string) {
	t.Helper()
	record := map[string]any{"status": "incomplete", "reason": "slurmlab ended before it could record how the run went"}
	path := copyOf(t, "S-V.2-backfill-seed1.zip", folder, "live", record, "sacct.txt", "sdiag.txt")
	lock, err := os.Open(filepath.Join(path, "workload.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	dir, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := trace.Open(filepath.Join(recorded, "S-V.2-backfill-seed1"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Load(whole)
	if err != nil {
		t.Fatal(err)
	}
	first := math.Inf(1)
	for _, j := range r.Jobs {
		first = min(first, float64(j.Arrival))
	}
	known := func(until float64) string {
		var text strings.Builder
		// An earlier look found the starts, this one the ends.
		early, late := trace.Progress{Time: first}, trace.Progress{Time: first + until}
		for _, j := range r.Jobs {
			if j.Start > until {
				continue
			}
			var names []string
			for _, n := range j.Allocated {
				names = append(names, fmt.Sprintf("n%d", n+1))
			}
			s := trace.Seen{Job: j.ID, Slurm: j.SlurmID, Start: first + j.Start, Nodes: values.CompressHosts(names)}
			early.Jobs = append(early.Jobs, s)
			if j.Finish <= until {
				s.State, s.End, s.Cores, s.GPUs = j.State, first+j.Finish, j.AllocCores, j.AllocGPUs
				late.Jobs = append(late.Jobs, s)
			}
		}
		for _, line := range []trace.Progress{early, late} {
			if err := trace.WriteProgress(&text, line); err != nil {
				t.Fatal(err)
			}
		}
		return text.String()
	}
	return dir, r, known
}

// A run under Slurm's own scheduler is known while it goes on. What has ended is shown as the accounting will have
// it, beside what runs and what waits by then, and the curves of both. A line that is being written, or that a killed
// slurmlab has left, hides nothing.
func TestUnderWayWithoutAgent(t *testing.T) {
	folder := t.TempDir()
	dir, r, known := underWay(t, folder)
	s := open(t, folder)
	key := s.runs()["live"].Key
	var d document
	if s.data("api/run/"+key, &d); d.Basis != "nothing" || len(d.Jobs) != 0 {
		t.Errorf("before its first job: basis %s with %d jobs", d.Basis, len(d.Jobs))
	}
	until := 0.0
	for _, j := range r.Jobs {
		until = max(until, j.Finish)
	}
	for _, now := range []float64{math.Round(until / 4), math.Round(until / 2)} {
		if err := os.WriteFile(dir.ProgressFile(), []byte(known(now)+`{"time_s":1e9,"jobs":[{"jo`), 0o644); err != nil {
			t.Fatal(err)
		}
		d = document{}
		s.data("api/run/"+key, &d)
		if d.Basis != "logs" || d.Now != now || d.Metrics != nil || !d.UnderWay || len(d.Warnings) > 0 {
			t.Fatalf("basis %s, now %g, want logs at %g", d.Basis, d.Now, now)
		}
		states := map[string]int{}
		at := 0
		for _, j := range r.Jobs {
			// A job counts as submitted at its arrival; sbatch takes it some seconds later.
			got := d.Jobs[at]
			at++
			states[got.State]++
			switch {
			case j.Finish <= now:
				if got.ID != j.ID || got.State != j.State || *got.Start != j.Start || *got.Finish != j.Finish || got.Cores != j.AllocCores || got.Slowdown == nil {
					t.Errorf("job %d, which has ended, is %+v", j.ID, got)
				}
			case j.Start <= now:
				if got.ID != j.ID || got.State != "RUNNING" || *got.Start != j.Start || *got.Finish != now || *got.Wait != j.Start-got.Submit || got.Slowdown != nil || len(got.Rects) == 0 {
					t.Errorf("job %d, which runs, is %+v", j.ID, got)
				}
			case got.ID != j.ID || got.State != "PENDING" || got.Start != nil || got.Wait != nil:
				t.Errorf("job %d, which waits, is %+v", j.ID, got)
			}
		}
		// The curves end at now with what runs and waits then: they do not fall to 0.
		cores := 0
		for _, j := range d.Jobs {
			if j.State == "RUNNING" {
				cores += j.Cores
			}
		}
		for name, is := range map[string]struct {
			curve [][2]float64
			want  int
		}{"cores": {d.Curves.Cores, cores}, "queue": {d.Curves.Queue, states["PENDING"]}} {
			if last := is.curve[len(is.curve)-1]; last[0] > now || last[1] != float64(is.want) {
				t.Errorf("the curve of %s ends with %g at %g s, want %d at %g s or before", name, last[1], last[0], is.want, now)
			}
		}
		if at != len(d.Jobs) || states["RUNNING"] == 0 || states["PENDING"] == 0 || states["COMPLETED"] == 0 || len(d.Curves.Cores) == 0 {
			t.Fatalf("%d jobs, want %d; %v", len(d.Jobs), at, states)
		}
	}
	answer, text := s.get("api/run/" + key + "/jobs-so-far.csv")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != len(d.Jobs)+1 || answer.Header.Get("Content-Disposition") != `attachment; filename="live-jobs-so-far.csv"` {
		t.Fatalf("%d rows of %d jobs, %v, saved as %s", len(rows), len(d.Jobs), err, answer.Header.Get("Content-Disposition"))
	}
	for i, j := range d.Jobs {
		row := rows[i+1]
		if row[0] != fmt.Sprint(j.ID) || row[2] != j.State || (row[5] != "") != (j.State == "COMPLETED") || (row[4] != "") != (j.Start != nil) {
			t.Errorf("job %d is %q", j.ID, row)
		}
	}
}

// What changes on the disk is read again, and a line in the middle that is none is named.
func TestProgressIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	dir, _, known := underWay(t, folder)
	s := open(t, folder)
	address := "/" + token + "/api/run/" + s.runs()["live"].Key
	first, _ := s.send(http.MethodGet, address, nil)
	write := func(text string) int {
		t.Helper()
		if err := os.WriteFile(dir.ProgressFile(), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		a, body := s.send(http.MethodGet, address, func(r *http.Request) { r.Header.Set("If-None-Match", first.Header.Get("ETag")) })
		if a.StatusCode != http.StatusOK && !strings.Contains(body, "progress.jsonl:1: ") {
			t.Errorf("%s: %s", a.Status, body)
		}
		return a.StatusCode
	}
	if status := write(known(100)); status != http.StatusOK {
		t.Errorf("after it has grown: %d", status)
	}
	if status := write("started\n" + known(100)); status != http.StatusUnprocessableEntity {
		t.Errorf("with a bad line: %d", status)
	}
}

// A job that Slurm started again runs, whatever comes late of its earlier try.
func TestStartedAgain(t *testing.T) {
	folder := t.TempDir()
	dir, _, _ := underWay(t, folder)
	text := `{"time_s":500,"jobs":[{"job":1,"slurm":5,"start_s":100,"nodes":"n1"},{"job":1,"slurm":5,"start_s":400,"nodes":"n[2-3]"},` +
		`{"job":1,"slurm":5,"state":"NODE_FAIL","start_s":100,"end_s":200,"nodes":"n1","cores":8}]}` + "\n"
	if err := os.WriteFile(dir.ProgressFile(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	var d document
	s.data("api/run/"+s.runs()["live"].Key, &d)
	for _, j := range d.Jobs {
		if j.ID == 1 && (j.State != "RUNNING" || *j.Start < 300) {
			t.Errorf("the job is %+v", j)
		}
	}
}

// The runs of a folder as data equal the page's, also unreadable ones.
func TestListAsCSV(t *testing.T) {
	folder := t.TempDir()
	copyRun(t, folder, "good", nil)
	if err := os.WriteFile(filepath.Join(copyRun(t, folder, "torn", nil), "run.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	var list struct{ Folders []struct{ Key string } }
	s.data("api/list", &list)
	_, text := s.get("api/folder/" + list.Folders[0].Key + "/list.csv")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if good := rows[1]; good[0] != "good" || good[2] != "auction" || good[7] != "464" || good[9] != "complete" || good[11] != "" {
		t.Errorf("the good one is %q", good)
	}
	if torn := rows[2]; torn[0] != "torn" || torn[9] != "unreadable" || !strings.Contains(torn[11], "run.json") {
		t.Errorf("the torn one is %q", torn)
	}
	if a, _ := s.get("api/folder/000000000000/list.csv"); a.StatusCode != http.StatusNotFound {
		t.Errorf("of no folder: %s", a.Status)
	}
}
