package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/run"
)

// accepts is a Slurm that takes each job and never has any.
// A submission is there before its sbatch.
type accepts struct {
	out  string
	jobs [][]string
}

func (a *accepts) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	if argv[0] != "sbatch" {
		return nil, nil
	}
	if _, err := os.Stat(submissionFile(a.out, len(a.jobs)+1) + ".json"); err != nil {
		return nil, err
	}
	a.jobs = append(a.jobs, argv)
	return fmt.Appendf(nil, "%d\n", len(a.jobs)), nil
}

// What no task has completed is submitted again, three times with twice the time each, and not before two looks have missed it; a run
// that somebody carries out is waited for.
func TestLostTasks(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, submissionsName), 0o755); err != nil {
		t.Fatal(err)
	}
	slurm := &accepts{out: out}
	a := &arrays{
		Making: &Making{Execution: &Execution{Out: out}, Image: "image"},
		study:  &Study{Folder: out}, configs: []run.Config{{Dir: filepath.Join(out, "a")}, {Dir: filepath.Join(out, "b")}, {Dir: filepath.Join(out, "c")}},
		takes: []time.Duration{time.Minute, time.Minute, time.Minute}, ask: Site{Cores: 1}, slurm: slurm, board: silent{}, most: 1001,
		states: []run.ExistingRun{{State: run.StateMissing}, {State: run.StateRunning}, {State: run.StateBroken, Reason: "no luck"}}, submitted: make([]int, 3), gone: []bool{true, true, true},
	}
	defer a.board.Close()
	look := func() error {
		q, err := queued(t.Context(), slurm, a.subs)
		if err != nil {
			t.Fatal(err)
		}
		return a.again(t.Context(), q)
	}
	for lost := range mostLost + 1 {
		for range 2 {
			if err := look(); err != nil {
				t.Fatalf("lost %d times: %v", lost, err)
			}
		}
		if len(slurm.jobs) != lost+1 {
			t.Fatalf("%d jobs after %d losses", len(slurm.jobs), lost)
		}
	}
	var limits []string
	for _, argv := range slurm.jobs {
		limits = append(limits, regexp.MustCompile(`--time=\d+`).FindString(strings.Join(argv, " ")))
	}
	if want := []string{"--time=10", "--time=20", "--time=40", "--time=80"}; !slices.Equal(limits, want) {
		t.Errorf("limits %v, want %v", limits, want)
	}
	for range 3 {
		if err := look(); err != nil {
			t.Fatalf("while a run is under way: %v", err)
		}
	}
	a.states[1].State = run.StateComplete
	err := look()
	if err == nil || !strings.Contains(err.Error(), filepath.Join(out, "c")+" is broken: no luck") || strings.Contains(err.Error(), filepath.Join(out, "b")+" ") {
		t.Errorf("at the end: %v", err)
	}
	if subs, err := submissions(out); err != nil || len(subs) != mostLost+1 || !slices.Equal(subs[3].tasks[0], []string{"a", "c"}) {
		t.Errorf("kept are %+v, %v", subs, err)
	}
}

// queueOf is a Slurm that has these tasks.
type queueOf struct{ live string }

func (q *queueOf) Run(context.Context, []byte, ...string) ([]byte, error) { return []byte(q.live), nil }

// A submitter that is killed between sbatch and its answer has left the submission, and the next one submits nothing
// twice.
func TestKilledSubmitter(t *testing.T) {
	out := t.TempDir()
	if err := os.Mkdir(filepath.Join(out, submissionsName), 0o755); err != nil {
		t.Fatal(err)
	}
	slurm := &queueOf{}
	file := submissionFile(out, 1)
	if err := os.WriteFile(file+TasksEnding, []byte("[\"a\"]\n[\"b\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// As of an earlier command of the same campaign, whose job still runs.
	earlier, left := submission{Job: "6", Name: "sl"}, submission{Name: "sl"}
	if err := errors.Join(earlier.write(file), left.write(submissionFile(out, 2)), os.WriteFile(submissionFile(out, 2)+TasksEnding, []byte("[\"c\"]\n[\"d\"]\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, live, want string }{
		{"it never was", "6_0 RUNNING\n", ""},
		{"it waits", "6_0 RUNNING\n7_0 PENDING\n7_1 PENDING\n", "7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			slurm.live = tt.live
			subs, err := submissions(out)
			if err != nil {
				t.Fatal(err)
			}
			a := &arrays{Making: &Making{Execution: &Execution{Out: out}}, slurm: slurm, subs: subs}
			if err = a.identify(t.Context()); err != nil || a.subs[0].Job != "6" || a.subs[1].Job != tt.want {
				t.Errorf("%v: jobs %q and %q, want 6 and %q", err, a.subs[0].Job, a.subs[1].Job, tt.want)
			}
			if subs, err = submissions(out); err != nil || subs[1].Job != tt.want {
				t.Errorf("%v: kept is %+v", err, subs)
			}
			q, err := queued(t.Context(), slurm, a.subs)
			if want := tt.want != ""; err != nil || (q.pending == 2) != want {
				t.Errorf("%v: %+v", err, q)
			}
		})
	}
}
