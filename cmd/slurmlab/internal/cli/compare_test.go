package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// An interrupt between two runs ends the command as interrupted by the user, and no
// further run begins. Nothing is left of the directory that was reserved for it.
func TestInterruptedBetweenRuns(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("interrupt signal received"))
	dir := filepath.Join(t.TempDir(), "runs", "run")
	e := execution{core: "0", quiet: true, out: dir}
	err := e.runAll(ctx, &State{Stderr: io.Discard}, 1, []run.Config{{Dir: dir}})
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
	e := execution{core: "0", quiet: true, out: dir}
	configs := []run.Config{{Dir: dir}}
	for _, goesOn := range []bool{false, true} {
		e.goesOn = goesOn
		var bad usageError
		if err = e.runAll(t.Context(), &State{Stderr: io.Discard}, 1, configs); !errors.As(err, &bad) {
			t.Errorf("goes on %v: got error %v, want one of usage", goesOn, err)
		}
	}
}

// Another process may finish the last run while "paper" asks for the image. Then
// nothing is left to run, which needs neither a core nor a container.
func TestNothingLeftToRun(t *testing.T) {
	e := execution{core: "auto", quiet: true}
	if err := e.runAll(t.Context(), &State{Stderr: io.Discard}, 0, nil); err != nil {
		t.Errorf("got error %v", err)
	}
}

// --windows makes a pair of runs of each window, whose jobs arrive from 0 on, and
// directories that differ.
func TestPairsOfWindows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.csv")
	header := "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class\n"
	if err := os.WriteFile(file, []byte(header+"1,10,60,120,0,8,0,0,0,0,x\n2,900,60,120,0,8,0,0,0,0,x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	e := experiment{execution: execution{core: "auto", quiet: true, out: "out"}, machine: "S", workload: file, seed: 1}
	p := plan{}
	var err error
	if p.machine, err = workloads.LoadMachine("S"); err != nil {
		t.Fatal(err)
	}
	if p.workload, err = workloads.Load(file); err != nil {
		t.Fatal(err)
	}
	replicas, err := e.replicas(p, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	configs, err := e.pairs(&State{}, replicas, []side{{policy: policy.Policy{Name: "backfill"}}, {policy: policy.Policy{Name: "auction"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range configs {
		got = append(got, fmt.Sprintf("%s job %d at %d", filepath.Base(c.Dir), c.Jobs[0].ID, c.Jobs[0].Arrival))
	}
	want := []string{
		"S-trace-backfill-window1 job 1 at 0", "S-trace-auction-window1 job 1 at 0",
		"S-trace-backfill-window2 job 2 at 0", "S-trace-auction-window2 job 2 at 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
