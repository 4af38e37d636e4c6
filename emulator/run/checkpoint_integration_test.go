//go:build integration

package run_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// stopAt is when the runs stop, in seconds: jobs run then, others wait, and others have not
// arrived.
const stopAt = 600

// arrivalEvery is the time between two arrivals, in seconds.
const arrivalEvery = 20

// Issue 19, item 6: "a run that was stopped and continued must equal one that was not, within
// run-to-run noise", and a fork under another policy has the same past.
func TestStoppedRunGoesOn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fifo", policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			// docs/checkpoints.md stops a run of Slurm's own scheduler.
			if name != policy.Auction {
				hosttest.Long(t, "stops runs of Slurm's own schedulers")
			}
			c := config(t, backendtest.External(), "S", "V.2", name, 20*time.Minute)
			for i := range c.Jobs {
				c.Jobs[i].Arrival = i * arrivalEvery
			}
			whole := c
			whole.Dir = run.OwnDir(t, "whole")
			want := completed(t, whole)

			past := c
			past.Dir, past.StopAt = run.OwnDir(t, "past"), stopAt
			past, record := punctual(t, past)
			if record.Status != trace.StatusIncomplete {
				t.Fatalf("stopped run is %s: %s", record.Status, record.Reason)
			}
			t.Log(record.Reason)
			if _, err := metric.Load(mustOpen(t, past.Dir)); err == nil {
				t.Error("a stopped run has metrics")
			}
			checkpoint, err := run.OpenCheckpoint(past.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(checkpoint.Position.Jobs); n == 0 || n == len(c.Jobs) {
				t.Errorf("%d jobs of %d were submitted by then, want some", n, len(c.Jobs))
			}

			future := c
			future.Dir, future.From = run.OwnDir(t, "future"), checkpoint
			got := completed(t, future)
			before(t, want.Jobs, got.Jobs, noise)
			same(t, want, got)

			// The past does not depend on the policy.
			if name != policy.Auction {
				return
			}
			fork := future
			fork.Dir, fork.Policy = run.OwnDir(t, "fork"), find(t, policy.Backfill)
			forked := completed(t, fork)
			before(t, got.Jobs, forked.Jobs, 0)
			if changed := forked.Run.Continues.Changed; !slices.Contains(changed, "policy") {
				t.Errorf("changed %v, want the policy among them", changed)
			}
		})
	}
}

func find(t *testing.T, name string) policy.Policy {
	t.Helper()
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// punctual carries out a run, and again, in another directory, if a submission came late. A run's times count from its first
// submission, which a slow disk may delay by a jump of the clock (arrival_lag_max_s): that is no subject of these tests.
func punctual(t *testing.T, c run.Config) (run.Config, trace.Run) {
	t.Helper()
	const attempts = 5
	base := c.Dir
	for attempt := range attempts {
		if attempt > 0 {
			c.Dir = fmt.Sprintf("%s-%d", base, attempt)
		}
		record, err := run.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if record.ArrivalLagMax <= 2 {
			return c, record
		}
		t.Logf("%s: a submission came %g s late", filepath.Base(c.Dir), record.ArrivalLagMax)
	}
	t.Fatalf("a submission came late in each of %d runs", attempts)
	return c, trace.Run{}
}

// completed carries out a run, all of whose jobs end exactly as planned.
func completed(t *testing.T, c run.Config) metric.Result {
	t.Helper()
	c, _ = punctual(t, c)
	r, err := metric.Load(mustOpen(t, c.Dir))
	if err != nil {
		t.Fatal(err)
	}
	for job, seconds := range late(r.Jobs) {
		t.Errorf("%s: job %d ran %+g s longer than its run time", filepath.Base(c.Dir), job, seconds)
	}
	return r
}

// same compares a run that was stopped and continued with one that was not.
func same(t *testing.T, want, got metric.Result) {
	t.Helper()
	equal, most := 0, 0.0
	for i, j := range got.Jobs {
		d := math.Abs(j.Start - want.Jobs[i].Start)
		if most = max(most, d); d == 0 {
			equal++
		}
	}
	t.Logf("starts: %d of %d equal, at most %g s apart; mean wait %g s, whole %g s; runtime %g s, whole %g s; cycles %d, whole %d",
		equal, len(got.Jobs), most, got.Metrics.Waiting.Mean, want.Metrics.Waiting.Mean, got.Metrics.Makespan, want.Metrics.Makespan, len(got.Cycles), len(want.Cycles))
	if d := math.Abs(got.Metrics.Waiting.Mean - want.Metrics.Waiting.Mean); d > 0.1*want.Metrics.Waiting.Mean {
		t.Errorf("mean wait %g s, whole %g s", got.Metrics.Waiting.Mean, want.Metrics.Waiting.Mean)
	}
	if d := math.Abs(got.Metrics.Makespan - want.Metrics.Makespan); d > 0.1*want.Metrics.Makespan {
		t.Errorf("makespan %g s, whole %g s", got.Metrics.Makespan, want.Metrics.Makespan)
	}
	for i, cycle := range got.Cycles {
		if cycle.Cycle != i+1 {
			t.Errorf("line %d of cycles.jsonl is cycle %d", i+1, cycle.Cycle)
			break
		}
	}
}

// noise is by how many seconds the starts of two runs of the same jobs may differ before the
// checkpoint, where a cycle of the agent is 5 s.
const noise = 6

// before wants the same starts before the checkpoint. Runs from one checkpoint have the same past
// to the second and the node; other runs are as far apart as runs of the same jobs are.
func before(t *testing.T, want, got []trace.FinishedJob, apart float64) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d jobs, want %d", len(got), len(want))
	}
	for i, j := range got {
		w := want[i]
		if max(j.Start, w.Start) >= stopAt {
			continue
		}
		if math.Abs(j.Start-w.Start) > apart || apart == 0 && !slices.Equal(j.Allocated, w.Allocated) {
			t.Errorf("job %d started at %g s on %v, want %g s on %v", j.ID, j.Start, j.Allocated, w.Start, w.Allocated)
		}
	}
}
