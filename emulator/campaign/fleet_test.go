package campaign

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Under a real clock a run of jobs of an hour takes an hour: three runs on two cores
// take two.
func TestEstimateOfSeveral(t *testing.T) {
	c := run.Config{
		Spec: drive.Spec{
			Machine: workloads.Machine{Nodes: 4, Cores: 8}, Clock: clock.Settings{Kind: clock.KindReal},
			Jobs: []workloads.Job{{ID: 1, Cores: 8, Runtime: 3600, Limit: 3600}, {ID: 2, Cores: 8, Runtime: 3600, Limit: 3600}},
		},
	}
	for parallel, want := range map[int]string{
		1: "about 3 h of real time: 3 runs, 6 jobs, clusters at a time: 1",
		2: "about 2 h of real time: 3 runs, 6 jobs, clusters at a time: 2",
		3: "about 1 h of real time: 3 runs, 6 jobs, clusters at a time: 3",
	} {
		if got := estimate([]run.Config{c, c, c}, parallel); got != want {
			t.Errorf("%d at a time: got %q, want %q", parallel, got, want)
		}
	}
	if got, want := estimate([]run.Config{c}, 1), "about 1 h of real time: 2 jobs, about 1 h of virtual time"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A run that is disturbed each time is made at most twice again, over all commands: a command that was killed between
// two of them does not restart the count. What broke does not count.
func TestRepeatsCountOverKills(t *testing.T) {
	out := t.TempDir()
	made := 0
	// disturbed is a run that others disturbed; a kill comes after so many of them.
	disturbed := func(kill int) func(context.Context, run.Config) (trace.Run, error) {
		return func(_ context.Context, c run.Config) (trace.Run, error) {
			if kill--; kill < 0 {
				return trace.Run{}, errors.New("killed")
			}
			made++
			if err := os.CopyFS(c.Dir, os.DirFS(recorded("auction"))); err != nil {
				t.Fatal(err)
			}
			edit(t, filepath.Join(c.Dir, "run.json"), `"jobs": 11`, `"fidelity": {"real_s": 100, "foreign_s": 50}, "jobs": 11`)
			return trace.Run{Fidelity: &trace.Fidelity{RealSeconds: 100, ForeignSeconds: 50}}, nil
		}
	}
	e := Execution{Out: out, Repeats: 2}
	f := fleet{Execution: &e, board: silent{}}
	c := run.Config{Dir: filepath.Join(out, "run")}
	broken := filepath.Join(out, run.AsideName, "run-9")
	if err := os.CopyFS(broken, os.DirFS(recorded("auction"))); err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(broken, "run.json"), `"status": "complete"`, `"status": "failed", "reason": "x"`)
	for range 2 {
		f.carry = disturbed(1)
		if err := f.run(t.Context(), c); err == nil || err.Error() != "killed" {
			t.Fatalf("got %v, want a kill", err)
		}
	}
	f.carry = disturbed(5)
	if err := f.run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if aside := run.Aside(out); made != 3 || !slices.Equal(aside, []string{"run", "run", "run"}) {
		t.Errorf("the run was made %d times, want once and twice again; set aside are %v", made, aside)
	}
}

// A complete run of which a disk has lost a file is reported and counts as broken.
func TestUnreadableRuns(t *testing.T) {
	var told []string
	e := Execution{Terminal: silent{warned: &told}}
	out := t.TempDir()
	var configs []run.Config
	var found []run.ExistingRun
	for _, name := range []string{"whole", "lost"} {
		dir := filepath.Join(out, name)
		if err := os.CopyFS(dir, os.DirFS(recorded("auction"))); err != nil {
			t.Fatal(err)
		}
		configs, found = append(configs, run.Config{Dir: dir}), append(found, run.ExistingRun{State: run.StateComplete})
	}
	lost := configs[1].Dir
	if err := os.Remove(filepath.Join(lost, "sacct.txt")); err != nil {
		t.Fatal(err)
	}
	dirs, err := e.unreadable(found, configs)
	if err != nil || len(dirs) != 1 || !dirs[lost] {
		t.Errorf("got %v, %v, want %s", dirs, err, lost)
	}
	contains(t, "the warning", strings.Join(told, "\n"), lost+" is complete but cannot be read, and counts as broken: read run file: open "+filepath.Join(lost, "sacct.txt"))
}

// A slurmlab that was killed when all jobs had ended leaves a run whose container keeps its files: they are fetched, and
// nothing is made again. Here the container is gone, which costs logs alone. Without its accounting the run is made again.
func TestKeptFilesAreFetched(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, lost := range []string{"", "sacct.txt"} {
		var told []string
		e := Execution{Terminal: silent{warned: &told}}
		dir := filepath.Join(t.TempDir(), "S-V.2-auction-seed1")
		if err := os.CopyFS(dir, os.DirFS(recorded("auction"))); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, "run.json"), `"status": "complete"`, `"status": "incomplete", "reason": "killed", "jobs_ended": true, "container": "ch123"`)
		if err := os.RemoveAll(filepath.Join(dir, cmp.Or(lost, "none"))); err != nil {
			t.Fatal(err)
		}
		// Another slurmlab that fetches them holds the run.
		held, err := os.Open(filepath.Join(dir, "workload.csv"))
		if err == nil {
			err = syscall.Flock(int(held.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			t.Fatal(err)
		}
		if now, refused := e.fetched(t.Context(), run.Config{Dir: dir}); refused != nil || now != run.StateRunning {
			t.Errorf("while another slurmlab fetches: %s, %v", now, refused)
		}
		if err = held.Close(); err != nil {
			t.Fatal(err)
		}
		state, err := e.fetched(t.Context(), run.Config{Dir: dir})
		_, record, unread := trace.OpenRun(dir)
		if unread != nil || record.Container != "" {
			t.Errorf("the record is %+v, %v", record, unread)
		}
		warning := strings.Join(told, "\n")
		contains(t, "the warning", warning, "container ch123 is gone")
		if lost == "" {
			// It is complete, of other settings than those of this empty configuration.
			if !errors.Is(err, run.ErrOther) || state != run.StateComplete || record.Status != trace.StatusComplete {
				t.Errorf("got %s, %v, and the record is %s", state, err, record.Status)
			}
			continue
		}
		contains(t, "the warning", warning, dir+" is made again: ")
		if err != nil || state != run.StateBroken || record.Status != trace.StatusFailed {
			t.Errorf("without %s: got %s, %v, and the record is %s", lost, state, err, record.Status)
		}
	}
}

// Once the images are known, a run that was complete is read again only if its image is another one. What others have put in the
// place of a missing run is seen.
func TestSecondLook(t *testing.T) {
	e := Execution{Elsewhere: "choose another folder"}
	out := t.TempDir()
	before := []run.ExistingRun{{State: run.StateComplete, ImageID: "sha256:1", Version: "7"}, {State: run.StateMissing}}
	var configs []run.Config
	for _, name := range []string{"complete", "appeared"} {
		configs = append(configs, run.Config{Dir: filepath.Join(out, name), ImageID: "sha256:1"})
	}
	// Both have settings of their own, so that reading a complete one is an error.
	if err := os.CopyFS(configs[0].Dir, os.DirFS(recorded("auction"))); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(configs[1].Dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := e.find(configs, before)
	if err != nil || found[0] != before[0] || found[1].State != run.StateBroken {
		t.Errorf("got %+v, %v, want the complete run as before and a broken one", found, err)
	}
	configs[0].ImageID = "sha256:2"
	if _, err = e.find(configs, before); !errors.Is(err, run.ErrOther) {
		t.Errorf("the error is %v, want that another run is in the place of the one with another image", err)
	}
}

// Fewer clusters go at a time than there are cores where memory is short, and the reason is reported; at least one
// goes.
func TestFitting(t *testing.T) {
	configs := make([]run.Config, 4)
	one := uint64(configs[0].Estimate().Memory)
	for _, test := range []struct {
		free                       uint64
		processors, parallel, want int
		why                        string
	}{
		{4 * one, 8, 4, 4, ""},
		// There are no cores for more.
		{2 * one, 2, 4, 4, ""},
		{2 * one, 8, 2, 2, ""},
		{2*one + 1, 8, 4, 2, "the 480 MB of memory that are free have room for 2 clusters at a time"},
		{one / 2, 8, 4, 1, "the 120 MB of memory that are free have room for 1 cluster at a time"},
	} {
		got, why := fittingIn(test.free, test.processors, test.parallel, configs)
		if got != test.want || why != test.why {
			t.Errorf("%d MB, %d processors, --parallel %d: got %d, %q, want %d, %q", test.free>>20, test.processors, test.parallel, got, why, test.want, test.why)
		}
	}
}

// An interrupt between two runs ends the command as interrupted by the user, and no
// further run begins. Nothing is left of the directory that was reserved for it.
func TestInterruptedBetweenRuns(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupt signal received"))
	dir := filepath.Join(t.TempDir(), "runs", "run")
	e := Execution{Terminal: silent{}, Core: "0", Out: dir}
	err := e.RunAll(ctx, 1, []run.Config{{Dir: dir}})
	if !errors.Is(err, run.ErrStopped) {
		t.Errorf("got error %v, want %v", err, run.ErrStopped)
	}
	if _, err := os.Lstat(filepath.Dir(dir)); err == nil {
		t.Error("a run has begun")
	}
}

// Two commands with the same directory do not both wait for a core.
func TestReservedByAnother(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	reserved, err := run.Reserve(dir, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reserved.Release()
	e := Execution{Terminal: silent{}, Core: "0", Out: dir}
	configs := []run.Config{{Dir: dir}}
	for _, goesOn := range []bool{false, true} {
		e.GoesOn = goesOn
		var bad faults.UsageError
		if err = e.RunAll(t.Context(), 1, configs); !errors.As(err, &bad) {
			t.Errorf("goes on %v: got error %v, want one of usage", goesOn, err)
		}
	}
}

// Another process may finish the last run while "paper" asks for the image. Then
// nothing is left to run, which needs neither a core nor a container.
func TestNothingLeftToRun(t *testing.T) {
	e := Execution{Terminal: silent{}, Core: "auto"}
	if err := e.RunAll(t.Context(), 0, nil); err != nil {
		t.Errorf("got error %v", err)
	}
}
