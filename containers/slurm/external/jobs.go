package external

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/external/scripts"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Job is a running job as Slurm knows it.
type Job struct {
	ID    int
	Start time.Time
	// GPUs are those per node, 0 for none.
	GPUs int
	// Comment is the admin comment.
	Comment string
}

// ErrGone is a job that has ended already, or that Slurm does not know.
var ErrGone = errors.New("the job has ended already")

// ErrUnanswered is a question that slurmctld did not answer, or an end that it may not
// have heard of.
var ErrUnanswered = errors.New("slurmctld does not answer")

// Channel is how Jobs speak to Slurm; see channel.Helper.
type Channel interface {
	Ask(ctx context.Context, question ...string) (channel.Answer, error)
}

// Jobs asks for external jobs and ends them.
type Jobs struct {
	Channel Channel
}

// Running reads all running and suspended jobs.
func (j Jobs) Running(ctx context.Context) ([]Job, error) {
	a, err := j.ask(ctx, "running")
	if err != nil {
		return nil, fmt.Errorf("ask for running jobs: %w", err)
	}
	return readJobs(a)
}

// Job reads one job. It is ErrGone if it is neither running nor suspended.
func (j Jobs) Job(ctx context.Context, id int) (Job, error) {
	a, err := j.ask(ctx, "running", strconv.Itoa(id))
	var found []Job
	if err == nil {
		found, err = readJobs(a)
	}
	if err == nil && len(found) != 1 {
		err = ErrGone
	}
	if err != nil {
		return Job{}, fmt.Errorf("ask for job %d: %w", id, err)
	}
	return found[0], nil
}

// Details reads what there is to know of a job in any state. It is ErrGone if Slurm
// does not know the job.
func (j Jobs) Details(ctx context.Context, id int) (scripts.Details, error) {
	a, err := j.ask(ctx, "batch", strconv.Itoa(id))
	if err == nil && a.Count == 0 {
		err = ErrGone
	}
	if err != nil {
		return scripts.Details{}, fmt.Errorf("ask for details of job %d: %w", id, err)
	}
	values := make(map[string]string, len(a.Rows))
	for _, row := range a.Rows {
		values[row.Word] = strings.Join(row.Cells, " ")
	}
	return scripts.ReadDetails(values)
}

// End tells Slurm that a job has ended with an exit code, that of wait(2). It is
// ErrGone for a job that has ended otherwise.
func (j Jobs) End(ctx context.Context, id, code int) error {
	a, err := j.ask(ctx, "end", strconv.Itoa(id), strconv.Itoa(code))
	if err == nil && a.Count == 0 {
		err = ErrGone
	}
	if err != nil {
		return fmt.Errorf("end job %d: %w", id, err)
	}
	return nil
}

// Cancel cancels a job as its owner. One that has ended already is no fault.
func (j Jobs) Cancel(ctx context.Context, id int) error {
	if _, err := j.ask(ctx, "cancel", strconv.Itoa(id)); err != nil {
		return fmt.Errorf("cancel job %d: %w", id, err)
	}
	return nil
}

// Reconfigure makes slurmctld reread its configuration and its jobs, as "scontrol reconfigure" does.
func (j Jobs) Reconfigure(ctx context.Context) error {
	if _, err := j.ask(ctx, "reconfigure"); err != nil {
		return fmt.Errorf("reconfigure slurmctld: %w", err)
	}
	return nil
}

// Wake has slurmctld look at its queue. On a node with a slurmd the end of an epilog does
// (_slurm_rpc_epilog_complete in src/slurmctld/proc_req.c), which external nodes have not.
func (j Jobs) Wake(ctx context.Context) error {
	if _, err := j.ask(ctx, "wake", layout.NodePrefix+"1"); err != nil {
		return fmt.Errorf("wake Slurm's scheduler: %w", err)
	}
	return nil
}

func (j Jobs) ask(ctx context.Context, question ...string) (channel.Answer, error) {
	a, err := j.Channel.Ask(ctx, question...)
	return a, unanswered(err)
}

// unanswered takes whatever Slurm complains of for a missing answer: nothing that is asked
// here could be refused.
func unanswered(err error) error {
	var refused *slurmctl.RefusedError
	if errors.Is(err, slurmctl.ErrUnavailable) || errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	return err
}

func readJobs(a channel.Answer) ([]Job, error) {
	var jobs []Job
	for _, row := range a.Rows {
		job, err := readJob(row)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	if len(jobs) != a.Count {
		return nil, fmt.Errorf("read running jobs: got %d, want %d", len(jobs), a.Count)
	}
	return jobs, nil
}

// readJob reads "run ID START TRES COMMENT".
func readJob(row channel.Row) (Job, error) {
	if row.Word != "run" || len(row.Cells) != 4 {
		return Job{}, fmt.Errorf("read running job: got a row %q of %d cells, want run and 4", row.Word, len(row.Cells))
	}
	id, idErr := strconv.Atoi(row.Cells[0])
	start, startErr := strconv.ParseInt(row.Cells[1], 10, 64)
	gpus, gpuErr := values.GPUs(row.Cells[2])
	if err := errors.Join(idErr, startErr, gpuErr); err != nil {
		return Job{}, fmt.Errorf("read running job %q: %w", row.Cells, err)
	}
	return Job{ID: id, Start: time.Unix(start, 0).UTC(), GPUs: gpus, Comment: row.Cells[3]}, nil
}
