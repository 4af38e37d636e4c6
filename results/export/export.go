package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// Formats returns the names of the formats.
func Formats() []string {
	return []string{"batsim-jobs", "schedule", "swf", "perfetto", "parquet"}
}

// Check says what is allowed for a name that is no format.
func Check(format string) error {
	if slices.Contains(Formats(), format) {
		return nil
	}
	return fmt.Errorf("format: got %q, allowed %s%s", format, strings.Join(Formats(), ", "), faults.DidYouMean(format, Formats()))
}

// HasResources says whether a format has Batsim's resources, which are nodes or cores.
func HasResources(format string) bool { return format == "batsim-jobs" || format == "schedule" }

// Write writes a complete run, as trace.Dir.Load gives it. The resource is for a format that HasResources, and means
// nothing to the others.
func Write(w io.Writer, format string, resource interchange.Resource, run trace.Data) error {
	if HasResources(format) && resource == interchange.Core {
		run = byCores(run)
	}
	switch format {
	case "batsim-jobs":
		return trace.WriteBatsimJobs(w, run.Run.Workload, run.Jobs)
	case "schedule":
		return writeSchedule(w, run)
	case "swf":
		return writeSWF(w, run)
	case "perfetto":
		return writePerfetto(w, run)
	case "parquet":
		return writeParquet(w, run)
	}
	return Check(format)
}

// byStart returns the jobs that ran in the order of their starts.
func byStart(jobs []trace.FinishedJob) []trace.FinishedJob {
	ran := trace.Started(jobs)
	slices.SortStableFunc(ran, func(a, b trace.FinishedJob) int { return cmp.Compare(a.Start, b.Start) })
	return ran
}

// writeSWF writes the jobs in the order of submission, as the standard wants.
// A job that never started has no wait, run time or processors.
func writeSWF(w io.Writer, run trace.Data) error {
	jobs := slices.Clone(run.Jobs)
	slices.SortStableFunc(jobs, func(a, b trace.FinishedJob) int { return cmp.Compare(a.Submit, b.Submit) })
	requests := make([]workloads.Job, len(jobs))
	for i, j := range jobs {
		requests[i] = j.Job
	}
	classes, users := interchange.ClassNumbers(requests), interchange.UserNumbers(requests)
	out := interchange.NewSWFWriter(w)
	out.Header(interchange.SWFHeader{
		Name: run.Run.Workload, Machine: run.Run.Machine, Jobs: len(jobs), Classes: classes, Users: users,
		Notes: []string{fmt.Sprintf("scheduled by policy %s, seed %d, run %s", run.Run.Policy, run.Run.Seed, run.Run.ID)},
	})
	for _, j := range jobs {
		r := interchange.SWFRecord{
			Job: j.ID, Submit: j.Submit, Wait: -1, Run: -1, ReqProcs: j.Cores, ReqTime: float64(j.Limit),
			Status: swfStatus(j.State), User: users[j.User], Executable: classes[j.Class],
		}
		if j.Started() {
			r.Wait, r.Run, r.Procs = j.Waiting(), j.Execution(), j.AllocCores
		}
		out.Write(r)
	}
	return out.Flush()
}

// swfStatus: "1 if the job was completed, 0 if it failed, and 5 if cancelled".
func swfStatus(state string) int {
	switch state {
	case "COMPLETED":
		return 1
	case "CANCELLED":
		return 5
	}
	return 0
}
