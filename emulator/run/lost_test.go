package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Whatever file of a complete run a disk has lost or cut off: either the run's metrics are what they were,
// or it cannot be read, and makes room for another one.
func TestLostFiles(t *testing.T) {
	for _, run := range []string{"S-V.2-auction-seed1", "S-V.2-backfill-seed1"} {
		source := filepath.Join(t.TempDir(), run)
		if err := os.CopyFS(source, os.DirFS(filepath.Join("..", "..", "cmd", "slurmlab", "internal", "cli", "testdata", "runs", run))); err != nil {
			t.Fatal(err)
		}
		recordCycles(t, source)
		want := metricsIn(t, source)
		files, err := os.ReadDir(source)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) < 7 {
			t.Fatalf("%s has %d files, want those of a run", source, len(files))
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(source, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, keep := range append(cuts(text), -1) {
				c := Config{Dir: filepath.Join(t.TempDir(), "run")}
				if err = os.CopyFS(c.Dir, os.DirFS(source)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(c.Dir, file.Name())
				if keep < 0 {
					err = os.Remove(path)
				} else {
					err = os.Truncate(path, int64(keep))
				}
				if err != nil {
					t.Fatal(err)
				}
				if file.Name() == "sdiag.txt" && keep < 0 {
					// A run without Slurm's statistics is one in which they are unknown.
					continue
				}
				if _, err = metric.LoadAll(metric.Load, c.Dir); err == nil {
					if got := metricsIn(t, c.Dir); got != want {
						t.Errorf("%s: with %d of %d bytes of %s the metrics are others", run, keep, len(text), file.Name())
					}
					continue
				}
				if file.Name() == "run.json" {
					wantState(t, c, StateBroken)
				}
				if _, err := SetAside(c.Dir); err != nil {
					t.Errorf("%s: with %d of %d bytes of %s: %v", run, keep, len(text), file.Name(), err)
				}
				wantState(t, c, StateMissing)
			}
		}
	}
}

// cuts are the lengths to which a file is cut: nothing, the middle, all but a byte, and the ends of some lines.
func cuts(text []byte) []int {
	lengths := []int{0, len(text) / 2, len(text) - 1}
	for i, c := range text[:len(text)-1] {
		if c == '\n' {
			lengths = append(lengths, i+1)
		}
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	if many := len(lengths) / 6; many > 1 {
		some := lengths[:0:0]
		for i := 0; i < len(lengths); i += many {
			some = append(some, lengths[i])
		}
		return append(some, lengths[len(lengths)-1])
	}
	return lengths
}

// recordCycles has run.json say how many cycles there are, as runs of today do.
func recordCycles(t *testing.T, path string) {
	t.Helper()
	dir, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := dir.Load()
	if err != nil {
		t.Fatal(err)
	}
	data.Run.Cycles = len(data.Cycles)
	if err := dir.WriteRun(data.Run); err != nil {
		t.Fatal(err)
	}
}

func metricsIn(t *testing.T, path string) string {
	t.Helper()
	dir, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := metric.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
