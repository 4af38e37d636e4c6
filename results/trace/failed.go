package trace

import (
	"fmt"
	"strings"

	"github.com/slurmlab/slurmlab/workloads"
)

// FailedJobs are the jobs of a run that did not end as its workload plans.
type FailedJobs struct {
	Count int `json:"count"`
	// First are the first of them in the order of the workload, at most maxNamed.
	First []FailedJob `json:"first"`
}

// FailedJob is one of them, by its id in the workload, with Slurm's word for its end.
type FailedJob struct {
	ID    int    `json:"job"`
	State string `json:"state"`
	// Outcome is how it was to end.
	Outcome workloads.Outcome `json:"outcome,omitempty"`
}

// maxNamed jobs are named, the others counted: a node that fails may take thousands
// of jobs with it.
const maxNamed = 5

// NewFailedJobs lists the failed jobs of a run, nil if there are none.
func NewFailedJobs(jobs []FinishedJob) *FailedJobs {
	return named(jobs, FinishedJob.Lost)
}

// NewVictims lists the jobs that events killed, nil if there are none.
func NewVictims(jobs []FinishedJob) *FailedJobs {
	return named(jobs, func(j FinishedJob) bool { return j.Victim })
}

func named(jobs []FinishedJob, is func(FinishedJob) bool) *FailedJobs {
	var f FailedJobs
	for _, j := range jobs {
		if !is(j) {
			continue
		}
		if f.Count++; len(f.First) < maxNamed {
			f.First = append(f.First, FailedJob{j.ID, j.State, j.Outcome})
		}
	}
	if f.Count == 0 {
		return nil
	}
	return &f
}

// Of names them, in a run of so many jobs: "2 of 41 jobs did not end as planned: job 7
// NODE_FAIL, job 9 TIMEOUT (planned: cancelled)".
func (f FailedJobs) Of(jobs int) string {
	return fmt.Sprintf("%d of %d jobs did not end as planned: %s", f.Count, jobs, f.list())
}

// Names counts and names them: "2 of 41 jobs: job 7 NODE_FAIL, job 9 NODE_FAIL".
func (f FailedJobs) Names(jobs int) string {
	return fmt.Sprintf("%d of %d jobs: %s", f.Count, jobs, f.list())
}

func (f FailedJobs) list() string {
	names := make([]string, len(f.First))
	for i, j := range f.First {
		names[i] = fmt.Sprintf("job %d %s", j.ID, j.State)
		switch {
		case j.State == j.Outcome.State():
			names[i] += " too early"
		case j.Outcome != workloads.Completed:
			names[i] += fmt.Sprintf(" (planned: %s)", j.Outcome)
		}
	}
	if more := f.Count - len(f.First); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// validateEnds refuses what no run leaves behind about the ends of its jobs.
func (r Run) validateEnds() []error {
	var faults []error
	if f := r.FailedJobs; f != nil && (f.Count < 1 || f.Count > r.Jobs || len(f.First) > f.Count) {
		faults = append(faults, fmt.Errorf("field failed_jobs: %d with %d named: want 1 to jobs=%d, and no more named", f.Count, len(f.First), r.Jobs))
	}
	if r.Status == StatusComplete && r.Container != "" {
		faults = append(faults, fmt.Errorf("field container: want none in a complete run, got %q", r.Container))
	}
	return faults
}
