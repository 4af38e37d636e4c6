package metric

import (
	"testing"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Bounded slowdowns of 3 and 1 of one user and 5 of another: means of 2 and 5, of which Jain's index is 49 / (2 x 29). One
// user alone is served neither fairly nor unfairly.
func TestServed(t *testing.T) {
	job := func(user string, wait float64) trace.FinishedJob {
		return trace.FinishedJob{Job: workloads.Job{User: user}, Start: wait, Finish: wait + 100}
	}
	jobs := []trace.FinishedJob{job("eve", 200), job("eve", 0), job("adam", 400)}
	got := Served(jobs)
	if got.BoundedSlowdown != 3 || got.WorstUser == nil || *got.WorstUser != 5 || *got.Fairness != 49.0/58 {
		t.Errorf("got %+v", got)
	}
	if got = Served(jobs[:2]); got.BoundedSlowdown != 2 || got.WorstUser != nil || got.Fairness != nil {
		t.Errorf("one user: got %+v", got)
	}
}
