package drive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/internal/faultpoint"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

const (
	// flushLimit is the real time that slurmctld may take to hand the last
	// records to slurmdbd; it does so within a second. sacct has flushPerJob more for each
	// job of the workload.
	flushLimit  = 60 * time.Second
	flushPerJob = 5 * time.Millisecond
	// rescueLimit bounds the collecting after a failure, when Slurm may not
	// answer any more, with rescuePerJob more for each job that was submitted.
	rescueLimit  = 5 * time.Second
	rescuePerJob = time.Millisecond
	// flushPoll is the pause between two looks.
	flushPoll = 100 * time.Millisecond
)

// collect writes sdiag.txt, with the statistics of earlier days first, and, once enough is satisfied with it, sacct.txt. If it
// never is, or sacct fails, sacct.txt has what sacct said last, if it said anything. It returns the rows of sacct.txt.
func (r *run) collect(ctx context.Context, enough func([]accounting.Row) error) ([]accounting.Row, error) {
	var diag []byte
	diagErr := r.patiently(ctx, func() (err error) {
		diag, err = r.Client.Diag(ctx)
		return err
	})
	if diagErr == nil {
		diagErr = os.WriteFile(r.path("sdiag.txt"), append(r.statistics, diag...), 0o644)
	}
	faultpoint.At(faultpoint.Accounting)
	raw, rows, err := r.accounting(ctx, enough)
	if raw != nil {
		err = errors.Join(err, os.WriteFile(r.path("sacct.txt"), raw, 0o644))
	}
	if err != nil {
		err = fmt.Errorf("collect accounting: %w", err)
	}
	return rows, errors.Join(err, diagErr)
}

// accounting asks sacct until enough is satisfied, for flushLimit and the time for the jobs
// at the most. It returns the last answer, nil without one, also with an error.
func (r *run) accounting(ctx context.Context, enough func([]accounting.Row) error) ([]byte, []accounting.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, flushLimit+time.Duration(len(r.Request.Jobs))*flushPerJob)
	defer cancel()
	var raw []byte
	var rows []accounting.Row
	var lack error
	enforces := r.Request.Machine.Layout.Enforces()
	var further []string
	if enforces || slices.ContainsFunc(r.Request.Jobs, func(j workloads.Job) bool { return j.ChargedTo() != "" }) {
		further = append(further, accounting.AccountField)
	}
	if enforces {
		further = append(further, accounting.QOSField)
	}
	var states []string
	if slices.ContainsFunc(r.Request.Jobs, func(j workloads.Job) bool { return j.Outcome == workloads.CancelledPending }) {
		// The agent holds jobs until it starts them.
		states = accounting.AllStates()
	}
	for {
		next, err := r.Client.Accounting(ctx, r.began.Add(-time.Minute), further, states...)
		if errors.Is(err, slurmctl.ErrUnavailable) && sleep(ctx, flushPoll) == nil {
			// slurmdbd may be about to come back.
			lack = err
			continue
		}
		if err != nil {
			return raw, rows, errors.Join(lack, err)
		}
		raw = next
		if rows, err = accounting.ReadSacct(bytes.NewReader(raw), "sacct"); err != nil {
			return raw, nil, err
		}
		if lack = enough(rows); lack == nil || sleep(ctx, flushPoll) != nil {
			return raw, rows, lack
		}
	}
}

// rescue collects what there is after a failure, if Slurm answers at all.
func (r *run) rescue(ctx context.Context) {
	submitted, _ := r.jobs.count()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rescueLimit+time.Duration(submitted)*rescuePerJob)
	defer cancel()
	// The failure before is the one to report.
	if _, err := r.collect(ctx, r.anything); err != nil {
		r.Log.Warn("accounting could not be rescued", "error", err)
	}
}

// anything is content with what is there.
func (r *run) anything([]accounting.Row) error { return nil }

// finished wants every job of the workload with its end. A job that Slurm started
// again has a row for each try; how the jobs ended is not looked at here.
func (r *run) finished(rows []accounting.Row) error {
	over := make(map[string]bool, len(rows))
	for _, row := range accounting.WithoutForgotten(rows) {
		done := !row.End.IsZero() && row.State != "RUNNING" && row.State != "COMPLETING"
		earlier, again := over[row.JobName]
		over[row.JobName] = done && (earlier || !again)
	}
	ended := 0
	for _, job := range r.Request.Jobs {
		if over[strconv.Itoa(job.ID)] {
			ended++
		}
	}
	if want := len(r.Request.Jobs); ended != want {
		return fmt.Errorf("sacct knows the end of %d jobs of %d", ended, want)
	}
	return nil
}
