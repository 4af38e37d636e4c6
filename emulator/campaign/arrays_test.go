package campaign

import (
	"context"
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
type accepts struct{ jobs [][]string }

func (a *accepts) Run(_ context.Context, _ []byte, argv ...string) ([]byte, error) {
	if argv[0] != "sbatch" {
		return nil, nil
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
	slurm := &accepts{}
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
