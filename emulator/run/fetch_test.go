package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/results/trace"
)

// slowly is a file of which a byte comes in every pause.
type slowly struct {
	ctx   context.Context
	pause time.Duration
	left  int
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(s.pause):
		s.left--
		return copy(p, "x"), nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

// slowContainer is a cluster with one slow file in each directory.
type slowContainer struct {
	Cluster
	pause time.Duration
}

func (s slowContainer) CopyDir(ctx context.Context, dir string, keep func(string, io.Reader) error) error {
	name := map[string]string{drive.OutDir: "sacct.txt", boot.LogDir: "slurmctld.log", drive.ModelsDir: "cycle-000001.json.gz"}[dir]
	return keep(name, &slowly{ctx, s.pause, 10})
}

// clusterOf is the cluster of a record.
func clusterOf(t *testing.T, record trace.Run) Cluster {
	t.Helper()
	cluster, err := Docker{}.Open(record.Container)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// endedRun is the directory and the record of a run whose jobs have all ended, in a
// container that no engine knows.
func endedRun(t *testing.T) (trace.Dir, trace.Run) {
	t.Helper()
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	dir, record, lock := begun(t, placed(t, filepath.Join(t.TempDir(), "run")))
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	record.Status, record.Ended, record.Container = trace.StatusFailed, true, "0123456789abcdef"
	return dir, record
}

// A slow copy is no failure, however long it takes as a whole, nor is a container that cannot be removed. Both are
// reported, the latter with the command that removes it.
func TestBringHomeSlowly(t *testing.T) {
	dir, record := endedRun(t)
	var warned []string
	cluster := clusterOf(t, record)
	synctest.Test(t, func(t *testing.T) {
		err := bringHome(t.Context(), Docker{}, slowContainer{cluster, copyStall - time.Second}, dir, &record, what{models: true}, func(text string) { warned = append(warned, text) })
		if err != nil || record.Container != "" {
			t.Errorf("got error %v, container %q", err, record.Container)
		}
	})
	for _, path := range []string{dir.SacctFile(), filepath.Join(dir.Logs(), "slurmctld.log"), filepath.Join(dir.Models(), "cycle-000001.json.gz")} {
		if text, err := os.ReadFile(path); string(text) != strings.Repeat("x", 10) {
			t.Errorf("%s: got %q, %v", path, text, err)
		}
	}
	if len(warned) != 2 || !strings.HasPrefix(warned[0], "Docker did not answer for ") ||
		!strings.HasPrefix(warned[1], "the container of run run is left over (Docker cannot be reached: ") ||
		!strings.HasSuffix(warned[1], "; remove it with: docker rm -f 0123456789ab") {
		t.Errorf("warned %q", warned)
	}
	if found, err := dir.ReadRun(); err != nil || found.Status != trace.StatusIncomplete || !found.Ended || found.Container != "" ||
		found.Reason != "slurmlab ended before it had written the metrics" {
		t.Errorf("run.json: %+v, %v", found, err)
	}
}

// Copying that stands still ends; the container keeps the files of the run, and
// run.json and the error tell which one.
func TestBringHomeStalls(t *testing.T) {
	dir, record := endedRun(t)
	var warned []string
	cluster := clusterOf(t, record)
	synctest.Test(t, func(t *testing.T) {
		err := bringHome(t.Context(), Docker{}, slowContainer{cluster, copyStall + time.Second}, dir, &record, what{}, func(text string) { warned = append(warned, text) })
		if err == nil || err.Error() != "all jobs have ended, but the files of the run were not copied: copy files: nothing came for 1m0s" {
			t.Errorf("got error %v", err)
		}
		err = broken(dir, &record, err)
		if !strings.HasSuffix(err.Error(), "\n  container 0123456789ab keeps its files; fetch them with: slurmlab run --resume "+dir.Path()) {
			t.Errorf("got error %v", err)
		}
	})
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "container 0123456789ab keeps the files of run run and may still run: ") {
		t.Errorf("warned %q", warned)
	}
	if left, err := filepath.Glob(filepath.Join(dir.Path(), "*sacct*")); err != nil || len(left) > 0 {
		t.Errorf("half a file is left: %q, %v", left, err)
	}
	found, err := dir.ReadRun()
	if err != nil || found.Status != trace.StatusFailed || !found.Ended || found.Container != "0123456789abcdef" {
		t.Errorf("run.json: %+v, %v", found, err)
	}
}

// bareContainer is a cluster that has logs and nothing else.
type bareContainer struct{ Cluster }

func (bareContainer) CopyDir(_ context.Context, dir string, keep func(string, io.Reader) error) error {
	if dir != boot.LogDir {
		return fmt.Errorf("copy %s: %w", dir, fs.ErrNotExist)
	}
	return keep("slurmctld.log", strings.NewReader("x"))
}

func (bareContainer) Kill(context.Context) error { return nil }

func (bareContainer) Remove(context.Context) error { return nil }

// A run that failed before its first job has written nothing, which is no second fault; one whose jobs have all ended has.
func TestBringHomeNothing(t *testing.T) {
	for _, ended := range []bool{false, true} {
		dir, record := endedRun(t)
		record.Ended = ended
		err := bringHome(t.Context(), Docker{}, bareContainer{clusterOf(t, record)}, dir, &record, what{}, func(text string) { t.Error(text) })
		if (err != nil) != ended {
			t.Errorf("jobs have ended: %v, got error %v", ended, err)
		}
		if text, err := os.ReadFile(filepath.Join(dir.Logs(), "slurmctld.log")); string(text) != "x" {
			t.Errorf("log %q, %v", text, err)
		}
	}
}

// cycles.jsonl must have what the run had, and be on the disk.
func TestCyclesAreChecked(t *testing.T) {
	cycle := []byte(`{"cycle":{"cycle":1}}` + "\n")
	end := func(cycles string) []byte {
		return []byte(`{"end":{"status":"complete","cycles":` + cycles + "}}\n")
	}
	for _, tt := range []struct {
		name   string
		events [][]byte
		closed bool
		want   string
	}{
		{"all there", [][]byte{cycle, cycle, end("2")}, false, ""},
		{"one is lost", [][]byte{cycle, end("2")}, false, "cycles.jsonl has 1 cycles, the run had 2"},
		{"the disk fails at the end", [][]byte{end("0")}, true, "write cycles: sync "},
		{"cut off", [][]byte{cycle, []byte(`{"end":`)}, false, `slurmlabd's output ends in the middle of an event: "{\"end\":"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "cycles.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			w := &eventWriter{cycles: file}
			for part := range slices.Chunk(bytes.Join(tt.events, nil), 7) {
				if _, err = w.Write(part); err != nil {
					t.Fatal(err)
				}
			}
			if tt.closed {
				_ = file.Close()
			}
			err = w.close()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
			if _, err = file.Stat(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("the file is open: %v", err)
			}
		})
	}
}

// Ctrl-C ends "finish" in the middle of a copy; the container keeps the files for the
// next try.
func TestFinishIsInterrupted(t *testing.T) {
	t.Run("engine of the environment", func(t *testing.T) { finishIsInterrupted(t, false) })
	t.Run("engine of the record", func(t *testing.T) { finishIsInterrupted(t, true) })
}

func finishIsInterrupted(t *testing.T, recorded bool) {
	dir, record := endedRun(t)
	record.Reason = "nothing came for 1m0s"
	ctx, interrupt := context.WithCancel(t.Context())
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/archive"):
			interrupt()
			<-r.Context().Done()
		case strings.HasSuffix(r.URL.Path, "/kill"):
			w.WriteHeader(http.StatusConflict)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{}")
		}
	}))
	defer engine.Close()
	host := "tcp://" + engine.Listener.Addr().String()
	t.Setenv("DOCKER_HOST", host)
	if recorded {
		t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
		record.Engine = &trace.Engine{Host: host, Machine: "node7"}
	}
	if err := dir.WriteRun(record); err != nil {
		t.Fatal(err)
	}
	err := Finish(ctx, dir, false, func(text string) { t.Errorf("warned: %s", text) })
	if !errors.Is(err, ErrStopped) || !strings.HasSuffix(err.Error(), "slurmlab run --resume "+dir.Path()) {
		t.Errorf("got error %v", err)
	}
	if found, readErr := dir.ReadRun(); readErr != nil || !found.Ended || found.Container != record.Container {
		t.Errorf("run.json: %+v, %v", found, readErr)
	}
}

// News of jobs is on the disk at once. A failing disk is reported once, and neither the run nor its cycles suffer.
func TestWhatIsHeardIsLeft(t *testing.T) {
	dir, _ := endedRun(t)
	var warned []string
	w := &eventWriter{config: Config{Warn: func(text string) { warned = append(warned, text) }}, lookers: dir.ProgressFile()}
	if _, err := w.Write([]byte(`{"heard":{"time_s":3.5,"jobs":[{"job":7,"slurm":1,"start_s":3,"nodes":"n1"}]}}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if lines, err := dir.Progress(); err != nil || len(lines) != 1 || lines[0].Jobs[0].Job != 7 {
		t.Errorf("got %+v, %v", lines, err)
	}
	_ = w.progress.Close()
	for range 2 {
		if _, err := w.Write([]byte(`{"heard":{"time_s":9}}` + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "cannot be watched") || !strings.Contains(warned[0], "progress.jsonl") {
		t.Errorf("warned %q", warned)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
}
