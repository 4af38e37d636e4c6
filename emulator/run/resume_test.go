package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

func placed(t *testing.T, dir string) Config {
	t.Helper()
	m, err := workloads.LoadMachine("S")
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load("V.2")
	if err != nil {
		t.Fatal(err)
	}
	auction, err := policy.Find(policy.Auction)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Spec: drive.Spec{Backend: backend.Backend{Form: backend.FrontEnd, Series: "24.11"}, Machine: m, Workload: w, Seed: 1, Policy: auction,
			Clock: clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1},
		},
		Dir: dir, ImageID: "sha256:1", Version: "1",
	}
}

// begun makes the run's directory as Run does, and returns its record.
func begun(t *testing.T, c Config) (trace.Dir, trace.Run, *os.File) {
	t.Helper()
	record, err := c.record()
	if err != nil {
		t.Fatal(err)
	}
	dir, lock, err := c.create(record)
	if err != nil {
		t.Fatal(err)
	}
	return dir, record, lock
}

func finishes(t *testing.T, dir trace.Dir, record trace.Run, status trace.Status) {
	t.Helper()
	record.Status, record.Reason = status, ""
	if status != trace.StatusComplete {
		record.Reason = "interrupted by the user"
	}
	if err := dir.WriteRun(record); err != nil {
		t.Fatal(err)
	}
}

// listOfJobs is a workload of two jobs with fixed arrivals.
func listOfJobs(t *testing.T) workloads.Workload {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace.csv")
	err := os.WriteFile(file, []byte("job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n"+
		"1,0,60,120,0,8,0,0,0,0,x\n2,100,60,120,0,8,0,0,0,0,x\n"), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantState(t *testing.T, c Config, want State) {
	t.Helper()
	if got, err := c.Find(); got.State != want || err != nil {
		t.Errorf("got %q, %v, want %q", got.State, err, want)
	}
}

// A run is missing, running for as long as its process lives, then complete or broken. Any rest of a kill or a full
// disk is broken, and so is a run with failed jobs that are not allowed.
func TestFind(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	wantState(t, c, StateMissing)
	dir, record, lock := begun(t, c)
	wantState(t, c, StateRunning)
	if _, err := SetAside(c.Dir); err == nil || err.Error() != "set "+c.Dir+" aside: another slurmlab carries it out" {
		t.Errorf("a run that is going: got error %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateBroken)
	finishes(t, dir, record, trace.StatusFailed)
	wantState(t, c, StateBroken)
	record.FailedJobs = &trace.FailedJobs{Count: 1, First: []trace.FailedJob{{ID: 7, State: "NODE_FAIL"}}}
	record.Jobs = 2
	finishes(t, dir, record, trace.StatusComplete)
	wantState(t, c, StateBroken)
	c.AllowFailed = true
	wantState(t, c, StateComplete)
	c.AllowFailed, record.FailedJobs = false, nil
	finishes(t, dir, record, trace.StatusComplete)
	wantState(t, c, StateComplete)
	if err := os.Remove(dir.RunFile()); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateBroken)
	if err := os.WriteFile(dir.JobsFile(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateBroken)
	if err := os.WriteFile(filepath.Join(c.Dir, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(); err == nil || !strings.Contains(err.Error(), "run.json: no such file") {
		t.Errorf("a directory that is no run: got error %v", err)
	}
}

// A complete run must have the settings that are asked for. The core, the revision
// and an image that is not known yet may differ.
func TestFindOther(t *testing.T) {
	core := 3
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Core, c.Revision, c.ImageID = &core, "other", "" }, ""},
		{func(c *Config) { c.Version = "2" }, `build: field tool_version is "1", want "2"`},
		{func(c *Config) { c.Version, c.ImageID, c.AnyBuild = "2", "sha256:2", true }, ""},
		{func(c *Config) { c.Version, c.Seed, c.AnyBuild = "2", 9, true }, `field seed is 1, want 9`},
		{func(c *Config) { c.Version, c.AnyBuild, c.Sources = "2", true, []string{"tarball b"} }, `field slurm_sources is ["tarball a"], want ["tarball b"]`},
		{func(c *Config) { c.ImageID = "sha256:2" }, `build: field image_id is "sha256:1", want "sha256:2"`},
		// A float64 takes them for the same.
		{func(c *Config) { c.Seed = 1<<53 + 1 }, `field seed is 1, want 9007199254740993`},
		{func(c *Config) { c.Machine.Nodes, c.Policy.Parameters.Window = 5, 7 }, `field machine.nodes is 128, want 5, field policy_parameters.window is 500, want 7`},
		{func(c *Config) { c.FullConfiguration = "Z" }, `field full_configuration is absent, want "Z"`},
		{func(c *Config) { c.Clock.ThinkScale = 2 }, `field think_scale is 1, want 2`},
	} {
		c := placed(t, filepath.Join(t.TempDir(), "run"))
		dir, record, lock := begun(t, c)
		record.SlurmSources = []string{"tarball a"}
		finishes(t, dir, record, trace.StatusComplete)
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		test.change(&c)
		_, err := c.Find()
		got, want := "", ""
		if err != nil {
			got = err.Error()
		}
		said, build := strings.CutPrefix(test.want, "build: ")
		switch {
		case build:
			want = dir.RunFile() + ": a run of another build of slurmlab is in its place: " + said
		case said != "":
			want = dir.RunFile() + ": a run with other settings is in its place: " + said
		}
		if got != want || errors.Is(err, ErrOther) != (want != "" && !build) || errors.Is(err, ErrBuild) != build {
			t.Errorf("got error %q, want %q", got, want)
		}
	}
}

// A complete run of another window, or of the whole list, is another run.
func TestFindOtherWindow(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	list := listOfJobs(t)
	parts, err := list.Windows(2)
	if err != nil {
		t.Fatal(err)
	}
	c.Workload = parts[0]
	dir, record, lock := begun(t, c)
	finishes(t, dir, record, trace.StatusComplete)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateComplete)
	for want, other := range map[string]workloads.Workload{
		"field window is 1, want 2":                                       parts[1],
		"field window is 1, want absent, field windows is 2, want absent": list,
	} {
		c.Workload = other
		if _, err := c.Find(); !errors.Is(err, ErrOther) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// A slurmlab that was killed between making the directory and writing run.json leaves a
// broken run, which makes room for another one.
func TestHalfMadeRun(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	if err := os.MkdirAll(filepath.Join(c.Dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, ".workload.csv.123"), []byte("job_id"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(c.Dir, trace.ProgramName), 0o755); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateBroken)
	if _, err := SetAside(c.Dir); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateMissing)
	if got := Aside(filepath.Dir(c.Dir)); !slices.Equal(got, []string{"run"}) {
		t.Errorf("set aside %v, want run", got)
	}
}

// Nothing of a broken run is lost, whatever was set aside before.
func TestSetAside(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	for _, want := range []string{"run-1", "run-2"} {
		dir, record, lock := begun(t, c)
		finishes(t, dir, record, trace.StatusIncomplete)
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		to, err := SetAside(c.Dir)
		if err != nil || to != filepath.Join(filepath.Dir(c.Dir), "broken", want) {
			t.Fatalf("got %s, %v", to, err)
		}
		if _, err := trace.Open(to); err != nil {
			t.Error(err)
		}
		wantState(t, c, StateMissing)
	}
}

// A run that was archived since is in its place still; it is compared as a directory is,
// and none is made beside it.
func TestFindArchived(t *testing.T) {
	c := placed(t, filepath.Join(t.TempDir(), "run"))
	dir, record, lock := begun(t, c)
	finishes(t, dir, record, trace.StatusComplete)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Archive(true); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		t.Fatal(err)
	}
	wantState(t, c, StateComplete)
	other := c
	other.Seed = 2
	want := c.Dir + ".zip/run.json: a run with other settings is in its place: field seed is 1, want 2"
	if _, err := other.Find(); err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	failed := placed(t, filepath.Join(t.TempDir(), "failed"))
	failedDir, record, lock := begun(t, failed)
	record.Jobs, record.FailedJobs = 2, &trace.FailedJobs{Count: 1, First: []trace.FailedJob{{ID: 7, State: "NODE_FAIL"}}}
	finishes(t, failedDir, record, trace.StatusComplete)
	if _, err := failedDir.Archive(true); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lock.Close(), os.RemoveAll(failed.Dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := failed.Find(); !errors.Is(err, trace.ErrArchived) || !strings.Contains(err.Error(), "complete with 1 failed jobs, can be set aside") {
		t.Errorf("an archived run with failed jobs: got error %v", err)
	}
	if _, _, err := c.create(record); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create: got %v, want fs.ErrExist", err)
	}
}
