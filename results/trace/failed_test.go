package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/workloads"
)

func TestFailedJobsAreNamed(t *testing.T) {
	jobs := make([]FinishedJob, 9)
	for i := range jobs {
		jobs[i].ID, jobs[i].State = i+1, "COMPLETED"
	}
	if got := NewFailedJobs(jobs); got != nil {
		t.Errorf("all completed: got %+v", got)
	}
	jobs[6].State = "NODE_FAIL"
	if got, want := NewFailedJobs(jobs).Of(9), "1 of 9 jobs did not end as planned: job 7 NODE_FAIL"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for i := range 6 {
		jobs[i].State = "TIMEOUT"
	}
	want := "7 of 9 jobs did not end as planned: job 1 TIMEOUT, job 2 TIMEOUT, job 3 TIMEOUT, job 4 TIMEOUT, job 5 TIMEOUT, and 2 more"
	if got := NewFailedJobs(jobs).Of(9); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A job ended as planned if it did so in its planned way, and not before its time. A job that fails for another
// reason than the workload's does not pass for one.
func TestAsPlanned(t *testing.T) {
	job := func(o workloads.Outcome, state string, ran ...float64) FinishedJob {
		j := FinishedJob{Job: workloads.Job{ID: 7, Runtime: 600, Outcome: o}, State: state, Submit: 100, Start: NeverStarted, Finish: 300}
		if o == workloads.CancelledPending {
			j.Runtime, j.CancelAfter = 0, 200
		}
		for _, seconds := range ran {
			j.Start, j.Finish, j.Allocated = 200, 200+seconds, []int{0}
		}
		return j
	}
	for _, c := range []struct {
		job   FinishedJob
		timed bool
		// why is "" for a job that ended as planned.
		why string
	}{
		{job(workloads.Completed, "COMPLETED", 600), true, ""},
		{job(workloads.Completed, "COMPLETED", 3), true, ""},
		{job(workloads.Completed, "FAILED", 600), false, "FAILED"},
		{job(workloads.Failed, "FAILED", 600), true, ""},
		{job(workloads.Failed, "FAILED", 599), true, ""},
		{job(workloads.Failed, "FAILED", 598), false, "FAILED too early"},
		{job(workloads.Failed, "FAILED"), false, "FAILED too early"},
		{job(workloads.Failed, "COMPLETED", 600), false, "COMPLETED (planned: failed)"},
		{job(workloads.OutOfMemory, "OUT_OF_MEMORY", 601), true, ""},
		{job(workloads.OutOfMemory, "FAILED", 601), false, "FAILED (planned: out_of_memory)"},
		{job(workloads.Cancelled, "CANCELLED", 600), true, ""},
		{job(workloads.Cancelled, "CANCELLED", 20), false, "CANCELLED too early"},
		{job(workloads.Cancelled, "CANCELLED"), false, "CANCELLED too early"},
		{job(workloads.Timeout, "TIMEOUT", 630), false, ""},
		{job(workloads.Timeout, "CANCELLED", 630), false, "CANCELLED (planned: timeout)"},
		{job(workloads.CancelledPending, "CANCELLED"), false, ""},
		{job(workloads.CancelledPending, "CANCELLED", 0), false, ""},
		{job(workloads.CancelledPending, "COMPLETED", 0), false, "COMPLETED (planned: cancelled_pending)"},
	} {
		if got := c.job.Timed(); got != c.timed {
			t.Errorf("%s, %s: timed %v", c.job.Outcome, c.job.State, got)
		}
		failed := NewFailedJobs([]FinishedJob{c.job})
		switch {
		case c.why == "" && failed != nil:
			t.Errorf("%s: %+v", c.job.Outcome, failed)
		case c.why != "" && (failed == nil || failed.Of(1) != "1 of 1 jobs did not end as planned: job 7 "+c.why):
			t.Errorf("%s, %s: got %+v, want %s", c.job.Outcome, c.job.State, failed, c.why)
		}
	}
	early := job(workloads.CancelledPending, "CANCELLED")
	early.CancelAfter = 202
	if early.AsPlanned() {
		t.Error("a job that was cancelled in the queue too early passes for one that its user gave up")
	}
}

func TestFaultsOfEnds(t *testing.T) {
	for _, tt := range []struct {
		edit func(*Run)
		want string // empty for none
	}{
		{func(r *Run) { r.FailedJobs = &FailedJobs{Count: 2, First: []FailedJob{{ID: 1, State: "FAILED"}}} }, ""},
		{func(r *Run) { r.FailedJobs = &FailedJobs{} }, "field failed_jobs: 0 with 0 named: want 1 to jobs=3, and no more named"},
		{func(r *Run) { r.FailedJobs = &FailedJobs{Count: 4} }, "field failed_jobs: 4 with 0 named"},
		{func(r *Run) { r.Container = "0123" }, `field container: want none in a complete run, got "0123"`},
		{func(r *Run) { r.Status, r.Reason, r.Ended, r.Container = StatusFailed, "no room", true, "0123" }, ""},
	} {
		run := jumpRun()
		run.Jobs = 3
		tt.edit(&run)
		err := EncodeRun(&bytes.Buffer{}, run)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("got error %v, want %q", err, tt.want)
		}
	}
}
