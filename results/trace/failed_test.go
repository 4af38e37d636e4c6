package trace

import (
	"bytes"
	"strings"
	"testing"
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

func TestFaultsOfEnds(t *testing.T) {
	for _, tt := range []struct {
		edit func(*Run)
		want string // empty for none
	}{
		{func(r *Run) { r.FailedJobs = &FailedJobs{Count: 2, First: []FailedJob{{1, "FAILED"}}} }, ""},
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
