package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/workloads"
)

func TestCreateRefusesAnExistingPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs", "one")
	d, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(d.Logs()); err != nil || !info.IsDir() {
		t.Errorf("no logs folder: %v", err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got error %v, want fs.ErrExist", err)
	}
}

func TestOpenNeedsARun(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want fs.ErrNotExist", err)
	}
}

func TestRunRoundTrip(t *testing.T) {
	d, err := Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	run := Run{
		SchemaVersion: SchemaVersion, ID: "r",
		Settings: Settings{
			Machine:      workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2},
			WorkloadSpec: []byte(`{}`), Backend: Backend{"frontend", "24.11"}, Parameters: []byte(`{}`), PriorityType: PriorityBasic,
			Seed: 1 << 63, TimeScale: 20, ThinkScale: 1, Clock: ClockScaled,
		},
		Status: StatusIncomplete, Reason: "interrupted", Started: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if err = d.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	run.Status, run.Reason = StatusComplete, ""
	if err = d.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	got, err := opened.ReadRun()
	if err != nil || !reflect.DeepEqual(got, run) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, run)
	}
	text, err := os.ReadFile(d.RunFile())
	if err != nil {
		t.Fatal(err)
	}
	// Other people's tools read run.json by its keys.
	var raw struct {
		Machine map[string]any `json:"machine"`
	}
	if err = json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"name": "S", "nodes": 128.0, "cores": 8.0, "gpus": 2.0}; !reflect.DeepEqual(raw.Machine, want) {
		t.Errorf("got machine %v, want %v", raw.Machine, want)
	}
	entries, err := os.ReadDir(d.Path())
	if err != nil || len(entries) != 2 {
		t.Errorf("want run.json and logs only, got %v, %v", entries, err)
	}
}

func TestDecodeRunFaults(t *testing.T) {
	const machine = `"machine":{"nodes":1,"cores":1}`
	for text, want := range map[string]string{
		``:                             "read run.json",
		`{}`:                           "field schema_version is missing",
		`{"schema_version":2,"x":"y"}`: "field schema_version: 2 is unknown, want 1",
		`{"schema_version":1,"status":"done",` + machine + `}`:                                             `field status: "done"`,
		`{"schema_version":1,"status":"failed",` + machine + `}`:                                           "field reason",
		`{"schema_version":1,"status":"complete","reason":"x",` + machine + `}`:                            "field reason",
		`{"schema_version":1,"status":"complete"}`:                                                         "field machine",
		`{"schema_version":1,"status":"complete","machine":{"nodes":1,"cores":1,"switches":{"nodes":-1}}}`: "field machine.switches",
		`{"schema_version":1,"status":"complete","clock":"scaled",` + machine + `}`:                        "field time_scale",
		`{"schema_version":1,"seed":-1,` + machine + `}`:                                                   "seed",
	} {
		if _, err := DecodeRun(strings.NewReader(text), "run.json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}

// Issue 16, item 6: numbers that fill the memory, or that a loop never reaches, are faults
// of run.json, named before anything is made for each node.
func TestAbsurdMachines(t *testing.T) {
	for machine, want := range map[string]string{
		`{"nodes":4611686018427387904,"cores":1}`:                       "field machine.nodes: got 4611686018427387904, allowed 1..10000",
		`{"nodes":1,"cores":1,"gpus":9223372036854775807}`:              "field machine.gpus: got 9223372036854775807, allowed 0..128",
		`{"nodes":2,"cores":1,"switches":{"nodes":1,"fanout":1}}`:       "field machine.switches.fanout: got 1, allowed 2..10000",
		`{"nodes":1e18,"cores":1}`:                                      "machine.nodes",
		`{"nodes":1,"cores":1,"x":` + strings.Repeat("[", 20_000) + `}`: "exceeded max depth",
	} {
		text := `{"schema_version":1,"status":"complete","machine":` + machine + `}`
		if _, err := DecodeRun(strings.NewReader(text), "run.json"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: got error %v, want one with %q", machine, err, want)
		}
	}
}

// A file of a run that is too large to be read as a whole, or that is no file, is refused
// before it is read.
func TestAbsurdFiles(t *testing.T) {
	for name, most := range map[string]int64{"run.json": 32, "workload.csv": 256, "sacct.txt": 256, "sdiag.txt": 4, "cycles.jsonl": 1024} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS("testdata/run")); err != nil {
			t.Fatal(err)
		}
		// The file has a hole of that size and takes no room.
		if err := os.Truncate(filepath.Join(dir, name), (most+1)<<20); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = d.Load(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s: got %d MiB, allowed %d", name, most+1, most)) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(dir, os.DirFS("testdata/run")); err != nil {
		t.Fatal(err)
	}
	sacct := filepath.Join(dir, "sacct.txt")
	if err := errors.Join(os.Remove(sacct), unix.Mkfifo(sacct, 0o644)); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = d.Load(); err == nil || !strings.Contains(err.Error(), "sacct.txt is no file") {
		t.Errorf("a pipe: got error %v", err)
	}
}

// A write that fails leaves the old file and nothing else.
func TestWriteAtomicKeepsTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk full")
	err := WriteAtomic(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got error %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v", entries, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("got %q, %v", text, err)
	}
}

// A process that is killed while it writes leaves no hidden file (issue 41): until it is complete, the file has no name.
// Whatever has the hidden name that it gets then stays.
func TestWriteAtomicHasNoNameMeanwhile(t *testing.T) {
	hosttest.Linux(t, "has files without a name")
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if file := nameless(path); file == nil {
		hosttest.Elsewhere(t, "where the file system of "+dir+" has files without a name")
	} else if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	other := hidden(path, fmt.Sprintf("%d-0", os.Getpid()))
	if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := WriteAtomic(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "new"); err != nil {
			return err
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("while it is written there are %v, %v, want the other file alone", entries, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{path: "new", other: "other"} {
		if text, err := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%s has %q, %v, want %q", name, text, err, want)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("there are %v, %v, want two files", entries, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestLoad(t *testing.T) {
	d, err := Open("testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	data, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(data.Jobs) != 5 || len(data.Cycles) != 3 || data.Sdiag == nil || data.Run.Seed != 1 || !bytes.HasPrefix(data.Workload, []byte("job_id,")) {
		t.Errorf("got %+v", data)
	}
}

// copyRun copies testdata/run to a directory that a test may break.
func copyRun(t *testing.T) Dir {
	t.Helper()
	d := at(filepath.Join(t.TempDir(), "run"))
	if err := os.CopyFS(d.path, os.DirFS("testdata/run")); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLoadRefusesWhatIsNotComplete(t *testing.T) {
	d := copyRun(t)
	run, err := d.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	run.Status, run.Reason = StatusFailed, "slurmctld died"
	if err := d.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(); err == nil || !strings.Contains(err.Error(), "it is failed: slurmctld died") {
		t.Errorf("got error %v", err)
	}

	d = copyRun(t)
	if err := os.WriteFile(d.CyclesFile(), []byte("{\"cycle\":1}\n{\"cyc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(); err == nil || !strings.Contains(err.Error(), "cycles.jsonl:2: the line is cut off") {
		t.Errorf("got error %v", err)
	}

	d = copyRun(t)
	if err := os.WriteFile(d.WorkloadFile(), []byte("job_id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(); err == nil || !strings.Contains(err.Error(), "workload.csv:1: header") {
		t.Errorf("got error %v", err)
	}

	d = copyRun(t)
	for _, file := range []string{d.CyclesFile(), d.SdiagFile()} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := d.Load(); err != nil || data.Cycles != nil || data.Sdiag != nil {
		t.Errorf("a run without an agent: got %+v, %v", data, err)
	}
}

func TestCyclesRoundTrip(t *testing.T) {
	want := []Cycle{
		{Cycle: 1, Time: 5, SolveMS: 1.25, Gap: -1, Released: []Release{{Job: 1, Slurm: 2, Class: "A", Nodes: "n[1-64]", Cores: "4(x64)", GPUs: 2}}},
		{Cycle: 2, Time: 10, Refused: []Refusal{{Job: 3, Reason: "BadConstraints"}}, Checked: []Placement{{Job: 1, Exact: true}}},
	}
	var b bytes.Buffer
	for _, c := range want {
		if err := WriteCycle(&b, c); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.String()
	got, truncated, err := ReadCycles(strings.NewReader(whole), "c")
	if err != nil || truncated || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, %v", got, truncated, err)
	}
	// Whatever a killed writer leaves, the whole lines are read and the rest is reported.
	first := strings.Index(whole, "\n") + 1
	for cut := 0; cut < len(whole); cut++ {
		got, truncated, err := ReadCycles(strings.NewReader(whole[:cut]), "c")
		complete := 0
		switch {
		case cut >= len(whole)-1:
			complete = 2
		case cut >= first-1:
			complete = 1
		}
		atLineEnd := cut == 0 || cut == first-1 || cut == first || cut >= len(whole)-1
		if err != nil || len(got) != complete || truncated == atLineEnd {
			t.Fatalf("cut at %d: got %d cycles, truncated %v, %v", cut, len(got), truncated, err)
		}
	}
	if _, _, err := ReadCycles(strings.NewReader("{\"cycle\":1}\n{\"cyc\n{\"cycle\":3}\n"), "c"); err == nil || !strings.Contains(err.Error(), "c:2:") {
		t.Errorf("a broken line in the middle: got error %v", err)
	}
	if _, _, err := ReadCycles(strings.NewReader("null\n"), "c"); err == nil {
		t.Error("null was read as a cycle")
	}
}

func FuzzReadCycles(f *testing.F) {
	text, err := os.ReadFile("testdata/run/cycles.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		cycles, truncated, err := ReadCycles(strings.NewReader(text), "fuzz")
		lines := strings.Count(text, "\n")
		if strings.HasSuffix(text, "\n") || text == "" {
			lines--
		}
		if err == nil && !truncated && len(cycles) != lines+1 {
			t.Errorf("%d cycles of %d lines", len(cycles), lines+1)
		}
	})
}

func FuzzDecodeRun(f *testing.F) {
	text, err := os.ReadFile("testdata/run/run.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(t *testing.T, text string) {
		run, err := DecodeRun(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := EncodeRun(&b, run); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := DecodeRun(&b, "again"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// Of a run whose writer was killed in the middle of a line, everything before
// that line is shown.
func TestPartial(t *testing.T) {
	d := copyRun(t)
	run, err := d.ReadRun()
	if err != nil {
		t.Fatal(err)
	}
	run.Status, run.Reason = StatusFailed, "slurmctld died"
	if err = d.WriteRun(run); err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(d.CyclesFile(), []byte("{\"cycle\":1}\n{\"cyc"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := d.Partial()
	if err != nil || data.Run.Reason != run.Reason || len(data.Cycles) != 1 || data.Cycles[0].Cycle != 1 {
		t.Errorf("got %+v, %v", data, err)
	}
	if err = os.Remove(d.CyclesFile()); err != nil {
		t.Fatal(err)
	}
	if data, err = d.Partial(); err != nil || data.Cycles != nil {
		t.Errorf("without cycles: got %+v, %v", data, err)
	}
	if err = os.WriteFile(d.CyclesFile(), []byte("cycle 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = d.Partial(); err == nil {
		t.Error("cycles that are no JSON are taken")
	}
}

// A file that grows while it is read is refused where it is too large, and one of the size allowed is read.
// A line without an end is refused before it fills the memory.
func TestEndlessLines(t *testing.T) {
	for name, longest := range map[string]int64{"cycles.jsonl": 64, "sacct.txt": 1, "workload.csv": 1} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.CopyFS(dir, os.DirFS("testdata/run")); err != nil {
			t.Fatal(err)
		}
		// The file is as large as allowed, and has a hole for its only line.
		path := filepath.Join(dir, name)
		if err := errors.Join(os.Truncate(path, 0), os.Truncate(path, mostOf(name))); err != nil {
			t.Fatal(err)
		}
		d, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = d.Load()
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s: got a line of more than %d MiB, allowed %[2]d", name, longest)) {
			t.Errorf("%s: got error %v", name, err)
		}
		// Buffers that grow take some times the line in all.
		if got := int64(after.TotalAlloc-before.TotalAlloc) >> 20; got > 8*longest+32 {
			t.Errorf("%s: it took %d MiB", name, got)
		}
	}
}

// No more cycles are kept than a run can have.
func TestTooManyCycles(t *testing.T) {
	_, _, err := ReadCycles(strings.NewReader(strings.Repeat("{}\n", mostCycles+1)), "x")
	if want := "x:1048577: got more than 1048576 cycles, allowed 1048576"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBounded(t *testing.T) {
	for text, want := range map[string]string{"1234": "", "12345": "x: got 1 MiB, allowed 0"} {
		got, err := io.ReadAll(newBounded(io.NopCloser(strings.NewReader(text)), "x", 4))
		if want == "" && (err != nil || string(got) != text) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}
