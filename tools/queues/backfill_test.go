package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/workloads"
)

// TestBackfill checks the rules of sched/backfill in small. All times are seconds;
// limits are the run times unless said, so that reservations are kept exactly.
func TestBackfill(t *testing.T) {
	m := workloads.Machine{Name: "little", Nodes: 4, Cores: 8, GPUs: 2}
	job := func(id, runtime, limit, nodes, perNode int) workloads.Job {
		return workloads.Job{ID: id, Runtime: runtime, Limit: limit, Nodes: nodes, Cores: perNode * nodes, CoresPerNode: perNode}
	}
	cores := func(id, runtime, limit, cores int) workloads.Job {
		return workloads.Job{ID: id, Runtime: runtime, Limit: limit, Cores: cores}
	}
	late := func(j workloads.Job, arrival int) workloads.Job { j.Arrival = arrival; return j }
	for _, c := range []struct {
		rule string
		jobs []workloads.Job
		want string
	}{
		{
			"jobs start in the order of the queue as long as they fit",
			[]workloads.Job{job(1, 120, 120, 2, 8), job(2, 60, 60, 2, 8), job(3, 60, 60, 4, 8)},
			"2:0-60 1:0-120 3:120-180 ",
		},
		{
			"a job behind a blocked one starts if it ends before the blocked one's reservation",
			[]workloads.Job{job(1, 120, 120, 3, 8), job(2, 60, 60, 4, 8), job(3, 60, 60, 1, 8)},
			"3:0-60 1:0-120 2:120-180 ",
		},
		{
			"it does not if its limit is past the reservation, however short it runs",
			[]workloads.Job{job(1, 120, 120, 3, 8), job(2, 60, 60, 4, 8), job(3, 30, 180, 1, 8)},
			"1:0-120 2:120-180 3:180-210 ",
		},
		{
			"reservations are of whole nodes: job 3 would fit beside job 2 and must wait",
			[]workloads.Job{job(1, 120, 120, 4, 6), job(2, 60, 60, 4, 4), job(3, 180, 180, 4, 2)},
			"1:0-120 2:120-180 3:120-300 ",
		},
		{
			"behind a blocked job, an end before the limit is used 30 s after the pass before",
			[]workloads.Job{job(1, 20, 300, 2, 8), job(2, 300, 300, 2, 8), job(3, 60, 60, 4, 8), late(job(4, 60, 60, 1, 8), 1)},
			"1:0-20 4:30-90 2:0-300 3:300-360 ",
		},
		{
			"cores without a number of nodes take what is free on the nodes, block by block",
			[]workloads.Job{job(1, 120, 120, 3, 6), cores(2, 60, 60, 10), cores(3, 60, 60, 4)},
			"2:0-60 3:0-60 1:0-120 ",
		},
	} {
		starts, err := Play(context.Background(), m, c.jobs, NewBackfill(wholeQueue(t), nil))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		var got string
		for _, s := range starts {
			got += fmt.Sprintf("%d:%d-%d ", s.Job.ID, s.Begin, s.End)
		}
		if got != c.want {
			t.Errorf("%s: played %s, want %s", c.rule, got, c.want)
		}
	}
}

// TestBackfillIsLikeSlurm compares the model with the runs of the real Slurm in the
// table of docs/records/006-real-queues, on the same jobs.
func TestBackfillIsLikeSlurm(t *testing.T) {
	hosttest.Long(t, "plays two whole workloads")
	t.Parallel()
	for _, c := range []struct {
		workload string
		real     numbers
	}{
		{"V.2", numbers{utilisation: 0.665, waiting: 6669, slowdown: 24.3}},
		{"IV.2", numbers{utilisation: 0.800, waiting: 6450, slowdown: 23.0}},
	} {
		got := playSeed(t, c.workload, 1, NewBackfill(wholeQueue(t), nil))
		for name, ratio := range map[string]float64{
			"utilisation": got.utilisation / c.real.utilisation,
			"waiting":     got.waiting / c.real.waiting,
			"slowdown":    got.slowdown / c.real.slowdown,
		} {
			if ratio < 0.95 || ratio > 1.05 {
				t.Errorf("%s: %s is %.3f times that of the real Slurm", c.workload, name, ratio)
			}
		}
	}
}

// wholeQueue are the settings of slurmlab's policy.
func wholeQueue(t testing.TB) Settings {
	t.Helper()
	p, err := policy.Find(policy.WholeQueue)
	if err != nil {
		t.Fatal(err)
	}
	s, err := SettingsOf(p.Scheduler.Parameters)
	if want := (Settings{Interval: 30, Resolution: 60, Window: 2880 * 60, MaxJobs: 5000}); err != nil || s != want {
		t.Fatalf("got %+v, %v, want %+v", s, err, want)
	}
	return s
}
