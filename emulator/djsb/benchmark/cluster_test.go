package benchmark_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// control is a Slurm that notes its commands and gives every question the same answer.
type control struct {
	rows []channel.Row
	told []string
}

func (c *control) Submit(_ context.Context, r sbatch.Request) (int, error) {
	c.told = append(c.told, strings.Join(r.Argv(), " "))
	return 7, r.Validate()
}

func (c *control) Ask(_ context.Context, question ...string) (channel.Answer, error) {
	c.told = append(c.told, strings.Join(question, " "))
	return channel.Answer{Rows: c.rows, Count: min(1, len(c.rows))}, nil
}

func (c *control) Do(_ context.Context, command string) error {
	c.told = append(c.told, command)
	return nil
}

func (c *control) Cancel(_ context.Context, ids ...int) error {
	c.told = append(c.told, fmt.Sprint("cancel ", ids))
	return nil
}

// Slurm gets the requests of sbatch, scontrol and scancel; each core has a task.
func TestClusterTellsSlurm(t *testing.T) {
	c := &control{}
	s := benchmark.Cluster{Control: c, Reservation: "djsb"}
	id, err := s.Submit(t.Context(), benchmark.JobRequest{
		Name: "sim.1", Tasks: 4, TasksPerNode: 2, CPUsPerTask: 3, Partition: "urgent", Nodes: []string{"n1", "n2"}, TimeLimit: 2 * time.Minute, Script: "#!/bin/sh\n",
	})
	if err != nil || id != "7" {
		t.Errorf("job %q, %v", id, err)
	}
	if err = errors.Join(s.Suspend(t.Context(), id), s.Resume(t.Context(), id), s.Cancel(t.Context(), id)); err != nil {
		t.Error(err)
	}
	if err = s.Cancel(t.Context(), "x"); err == nil {
		t.Error("a job without a number was cancelled")
	}
	want := []string{"suspend 7", "resume 7", "cancel [7]"}
	for _, word := range []string{" -n 12 ", " -N 2", "--ntasks-per-node=6", "--reservation=djsb", "n[1-2]", " -t 2 ", "urgent"} {
		if !strings.Contains(c.told[0], word) {
			t.Errorf("submitted by %q, want %q", c.told[0], word)
		}
	}
	if !slices.Equal(c.told[1:], want) {
		t.Errorf("told %q, want %q", c.told[1:], want)
	}
	var refused *slurmctl.RefusedError
	if _, err = s.Poll(t.Context(), id); !errors.As(err, &refused) {
		t.Errorf("an unknown job: %v, want a refusal", err)
	}
}

// What the channel says of a job is read as what scontrol prints of it.
func TestClusterReadsAsScontrol(t *testing.T) {
	unix := func(clock string) string {
		when, err := time.Parse(time.TimeOnly, clock)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(when.AddDate(2026, 0, 0).Unix())
	}
	for _, tc := range []struct {
		state, suspend string
		before         int
	}{
		{"PENDING", "", 0}, {"RUNNING", "", 0}, {"COMPLETING", "", 0}, {"COMPLETED", "00:01:51", 80}, {"SUSPENDED", "00:02:00", 100}, {"FAILED", "", 0}, {"CANCELLED", "", 0},
	} {
		suspend, printedSuspend := "0", "None"
		if tc.suspend != "" {
			suspend, printedSuspend = unix(tc.suspend), "2026-01-01T"+tc.suspend
		}
		slurm := benchmark.Slurm{Runner: printed{"scontrol": shown(tc.state, 0, "00:00:10", "00:00:11", "00:02:11", printedSuspend, tc.before)}}
		want, err := slurm.Poll(t.Context(), "7")
		if err != nil {
			t.Fatal(err)
		}
		var rows []channel.Row
		for _, row := range [][2]string{
			{"job_state", tc.state}, {"reason", "None"}, {"exit_code", "0"}, {"submit", unix("00:00:10")}, {"start", unix("00:00:11")}, {"end", unix("00:02:11")},
			{"suspend", suspend}, {"pre_suspend", fmt.Sprint(tc.before)}, {"restarts", "0"},
		} {
			rows = append(rows, channel.Row{Word: row[0], Cells: row[1:]})
		}
		cluster := benchmark.Cluster{Control: &control{rows: rows}}
		if got, err := cluster.Poll(t.Context(), "7"); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", tc.state, got, err, want)
		}
		cluster.Control = &control{rows: rows[1:4]}
		if got, err := cluster.Poll(t.Context(), "7"); err == nil {
			t.Errorf("%s without a start: %+v", tc.state, got)
		}
	}
	// Exit code 3, and signal 9: 3 << 8 and 9 of wait(2).
	for code, want := range map[string]string{"768": "exit code 3:0", "9": "exit code 0:9"} {
		rows := []channel.Row{{Word: "job_state", Cells: []string{"FAILED"}}, {Word: "exit_code", Cells: []string{code}}}
		for _, key := range []string{"submit", "start", "end", "suspend", "pre_suspend", "restarts"} {
			rows = append(rows, channel.Row{Word: key, Cells: []string{"1"}})
		}
		cluster := benchmark.Cluster{Control: &control{rows: rows}, Runner: printed{"sacct": "Submit|Start|End\n2026-01-01T00:00:10|1969-01-01T00:00:00|1969-01-01T00:00:01\n"}}
		if got, err := cluster.Poll(t.Context(), "7"); err != nil || !strings.Contains(got.Reason, want) {
			t.Errorf("got %+v, %v, want %s", got, err, want)
		}
	}
}
