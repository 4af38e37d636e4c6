package metric

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Result is a run that was read: its record, its rows and its metrics. It is what
// runs are compared, put beside a paper's and reported as.
type Result struct {
	// Path is where the run lies, as the reader knows it.
	Path string
	trace.Data
	// Metrics are nil for a run that is not complete, of which only Run and Cycles
	// are known.
	Metrics *Metrics
}

// Complete says whether all jobs of the run ended, so that it has metrics.
func (r Result) Complete() bool { return r.Run.Status == trace.StatusComplete }

// SameWork reports whether two runs had the same jobs on the same machine.
func (r Result) SameWork(other Result) bool {
	return r.Run.Machine.Equal(other.Run.Machine) && r.SameJobs(other)
}

// SameJobs reports whether two runs had the same jobs, on whatever machine.
func (r Result) SameJobs(other Result) bool { return bytes.Equal(r.Workload, other.Workload) }

// Waits are the jobs that waited and started, the longest wait first, those of equal
// waits by job.
func (r Result) Waits() []trace.FinishedJob {
	var waited []trace.FinishedJob
	for _, j := range r.Jobs {
		if j.Start != trace.NeverStarted && j.TotalWait() > 0 {
			waited = append(waited, j)
		}
	}
	slices.SortStableFunc(waited, func(a, b trace.FinishedJob) int {
		return cmp.Or(cmp.Compare(b.TotalWait(), a.TotalWait()), a.ID-b.ID)
	})
	return waited
}

// MetricsOf are those of complete runs, in their order.
func MetricsOf(runs []Result) []Metrics {
	all := make([]Metrics, len(runs))
	for i, r := range runs {
		all[i] = *r.Metrics
	}
	return all
}
