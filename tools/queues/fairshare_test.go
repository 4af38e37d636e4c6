package main

import (
	"context"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/workloads"
)

// flood is a workload in which one user hands in nine jobs of ten at once, and
// the other one the rest, a minute later.
func flood(t testing.TB, workload string, seed uint64) (workloads.Machine, []workloads.Job) {
	t.Helper()
	m, err := workloads.LoadMachine("S")
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(workload)
	if err != nil {
		t.Fatal(err)
	}
	if w, err = w.WithEstimatedRuntime(time.Hour); err != nil {
		t.Fatal(err)
	}
	jobs, err := w.Jobs(m, seed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		jobs[i].User, jobs[i].Arrival = "flood", 0
		if i%10 == 9 {
			jobs[i].User, jobs[i].Arrival = "drop", 60
		}
	}
	return m, jobs
}

// waits plays the workload and returns the mean waiting time of each user in
// seconds, and when the last job ends.
func waits(t testing.TB, workload string, seed uint64, o auction.Objective, halfLife time.Duration) (waited map[string]float64, end int) {
	t.Helper()
	m, jobs := flood(t, workload, seed)
	play := options(o)
	if halfLife > 0 {
		play.FairShare = NewFairShare(halfLife, jobs)
	}
	starts, err := Play(context.Background(), m, jobs, play)
	if err != nil || len(starts) != len(jobs) {
		t.Fatalf("%d of %d jobs ran, %v", len(starts), len(jobs), err)
	}
	waited, counts := map[string]float64{}, map[string]float64{}
	for _, s := range starts {
		waited[s.Job.User] += float64(s.Begin - s.Job.Arrival)
		counts[s.Job.User]++
		end = max(end, s.End)
	}
	for user := range waited {
		waited[user] /= counts[user]
	}
	return waited, end
}

// TestFairShareHelpsWhoUsedLess is the claim of docs/design/009 in small. A user below their share waits at least a
// fifth less than without fair share, and no longer than the user who floods the queue, under either objective.
func TestFairShareHelpsWhoUsedLess(t *testing.T) {
	hosttest.Long(t, "plays four workloads of an hour")
	t.Parallel()
	for _, o := range auction.Objectives() {
		without, _ := waits(t, "IV.2", 1, o, 0)
		with, _ := waits(t, "IV.2", 1, o, 7*24*time.Hour)
		if with["drop"] > without["drop"]*4/5 || with["drop"] > with["flood"] {
			t.Errorf("%s: with fair share %v, without %v", o, with, without)
		}
	}
}

// BenchmarkFairShare reports the figures of docs/records/009-fair-share-topology, one workload and
// seed a turn.
func BenchmarkFairShare(b *testing.B) {
	for _, o := range auction.Objectives() {
		for _, share := range []struct {
			name     string
			halfLife time.Duration
		}{{"off", 0}, {"1h", time.Hour}, {"168h", 7 * 24 * time.Hour}} {
			for _, workload := range []string{"IV.2", "V.2"} {
				b.Run(string(o)+"/"+share.name+"/"+workload, func(b *testing.B) {
					var drop, flood, last float64
					for seed := range b.N {
						waited, end := waits(b, workload, uint64(seed)+1, o, share.halfLife)
						drop += waited["drop"]
						flood += waited["flood"]
						last += float64(end)
					}
					b.ReportMetric(drop/float64(b.N), "drop_waiting_s")
					b.ReportMetric(flood/float64(b.N), "flood_waiting_s")
					b.ReportMetric(last/float64(b.N), "runtime_s")
				})
			}
		}
	}
}
