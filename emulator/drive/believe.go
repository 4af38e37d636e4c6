package drive

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// believe compares the accounting, which comes out of a database, with what the run did itself and what slurmctld wrote
// down. Each job must have the id that its submission had. It was submitted at its arrival, or up to lagMax later. It
// started and ended when slurmctld says so as it completes the job. A difference is no lateness but a changed database,
// and fails the run.
//
// A job that slurmctld completed and the run did not submit fails it as well, unless a daemon was started again: then
// slurmctld may have forgotten a submission, which was made again. It may also have forgotten a start, which is in the
// database all the same. The submissions of a job with several rows are Slurm's own (job_complete and batch_requeue_fini in
// src/slurmctld/job_mgr.c), and package trace refuses such a job.
func (r *run) believe(rows []accounting.Row) error {
	written, err := r.completed()
	if err != nil {
		return err
	}
	own, jobs := make(map[string]Handed, len(r.Request.Jobs)), make(map[int]workloads.Job, len(r.Request.Jobs))
	for _, h := range r.jobs.handed() {
		own[strconv.Itoa(h.Job)] = h
	}
	for _, job := range r.Request.Jobs {
		jobs[job.ID] = job
	}
	rows = accounting.WithoutForgotten(rows)
	count := make(map[string]int, len(rows))
	for _, row := range rows {
		count[row.JobName]++
	}
	var bad []error
	for _, row := range rows {
		h, is := own[row.JobName]
		if !is || count[row.JobName] > 1 {
			// Package trace says which rows are of no job of the workload, and which jobs have several.
			continue
		}
		for _, fault := range []error{r.differsInSubmission(row, h, jobs[h.Job]), r.differsInTimes(row, written[row.JobID])} {
			if fault != nil {
				bad = append(bad, fmt.Errorf("job %d (Slurm job %d): %w", h.Job, row.JobID, fault))
			}
		}
	}
	if foreign := r.foreign(written); len(foreign) > 0 {
		bad = append(bad, fmt.Errorf("slurmctld completed %d jobs that slurmlab did not submit: Slurm jobs %s", len(foreign), strings.Trim(fmt.Sprint(foreign), "[]")))
	}
	if len(bad) == 0 {
		return nil
	}
	if more := len(bad) - mostDifferences; more > 0 {
		bad = append(bad[:mostDifferences], fmt.Errorf("and %d more differences", more))
	}
	return fmt.Errorf("the accounting is not what happened in the run: %w", errors.Join(bad...))
}

// mostDifferences are named, and the others are counted.
const mostDifferences = 10

// completed are the completions of jobs that slurmctld wrote down, by its ids. A job has several if it started again.
func (r *run) completed() (map[int][]Heard, error) {
	if r.Completed == nil {
		return nil, nil
	}
	all, err := r.Completed()
	if err != nil {
		return nil, fmt.Errorf("compare the accounting: %w", err)
	}
	byID := make(map[int][]Heard, len(all))
	for _, h := range all {
		byID[h.ID] = append(byID[h.ID], h)
	}
	return byID, nil
}

// differsInSubmission says how a row differs from the submission of its job. Slurm's times are whole seconds.
func (r *run) differsInSubmission(row accounting.Row, h Handed, job workloads.Job) error {
	if row.JobID != h.ID {
		return fmt.Errorf("slurmlab submitted it as Slurm job %d", h.ID)
	}
	slack := time.Duration(trace.LateSeconds * max(1, r.Clock.Scale) * float64(time.Second))
	due := r.due(job)
	if off := row.Submit.Sub(due); off < -slack || off > r.lag+slack {
		return fmt.Errorf("sacct's Submit is %s, and slurmlab submitted it at %s, at most %s later", instant(row.Submit), instant(due), r.lag.Round(time.Millisecond))
	}
	return nil
}

// differsInTimes says how a row differs from all completions of its job; not at all where slurmctld died before it wrote
// one. Only what has nodes has started.
func (r *run) differsInTimes(row accounting.Row, completions []Heard) error {
	same := func(h Heard) bool {
		forgotten := h.Started.IsZero() && r.revived.Load()
		return row.End.Equal(h.Ended) && (len(row.NodeList) == 0 || forgotten || row.Start.Equal(h.Started))
	}
	if len(completions) == 0 || slices.ContainsFunc(completions, same) {
		return nil
	}
	last := completions[len(completions)-1]
	return fmt.Errorf("it ran from %s to %s, and slurmctld completed one that ran from %s to %s",
		instant(row.Start), instant(row.End), instant(last.Started), instant(last.Ended))
}

// foreign are the ids of completed jobs that are none of the run's.
func (r *run) foreign(written map[int][]Heard) []int {
	var ids []int
	if r.revived.Load() {
		return nil
	}
	for id, ends := range written {
		// What ended earlier is of a run before, on the same cluster.
		if !r.jobs.owns(id) && !ends[len(ends)-1].Ended.Before(r.began) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func instant(t time.Time) string { return t.UTC().Format(values.TimeLayout) }
