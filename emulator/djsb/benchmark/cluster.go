package benchmark

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Cluster runs jobs on the Slurm of a cluster whose time is skipped, through programs that run already: one that is
// started then may come too late. Each core has one task, because front-end mode places those exactly
// (docs/design/002-slurm-facts.md).
type Cluster struct {
	Control Control
	// Runner runs sacct for a job that Slurm has requeued.
	Runner slurmctl.Runner
	// Reservation is that which all jobs run in; empty for none.
	Reservation string
}

// Control is how Cluster speaks to Slurm; see channel.Helper and slurmctl.Session.
type Control interface {
	Submit(ctx context.Context, r sbatch.Request) (int, error)
	Ask(ctx context.Context, question ...string) (channel.Answer, error)
	Do(ctx context.Context, command string) error
	Cancel(ctx context.Context, ids ...int) error
}

// Submit implements Scheduler.
func (c *Cluster) Submit(ctx context.Context, r JobRequest) (string, error) {
	id, err := c.Control.Submit(ctx, r.perCore().sbatch(c.Reservation))
	return strconv.Itoa(id), err
}

// Poll implements Scheduler.
func (c *Cluster) Poll(ctx context.Context, id string) (Status, error) {
	number, err := numberOf(id)
	var a channel.Answer
	if err == nil {
		a, err = c.Control.Ask(ctx, "batch", id)
	}
	if err == nil && a.Count == 0 {
		err = &slurmctl.RefusedError{Command: "batch " + id, Message: "Invalid job id specified"}
	}
	var course slurmctl.JobCourse
	if err == nil {
		course, err = courseOf(a)
	}
	var status Status
	if err == nil {
		status, err = statusOf(ctx, &slurmctl.Client{Runner: c.Runner}, number, course)
	}
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, err)
	}
	return status, nil
}

// courseOf reads an answer to "batch".
func courseOf(a channel.Answer) (slurmctl.JobCourse, error) {
	cells := map[string]string{}
	for _, row := range a.Rows {
		if len(row.Cells) == 1 {
			cells[row.Word] = row.Cells[0]
		}
	}
	var faults []error
	count := func(key string) int {
		n, ok := values.Count(cells[key])
		if !ok {
			faults = append(faults, fmt.Errorf("%s: got %q, want a number", key, cells[key]))
		}
		return n
	}
	at := func(key string) time.Time {
		if n := count(key); n > 0 {
			return time.Unix(int64(n), 0).UTC()
		}
		return time.Time{}
	}
	code := count("exit_code")
	course := slurmctl.JobCourse{
		State: slurmctl.JobState(cells["job_state"]), Reason: cells["reason"],
		// As scontrol prints what wait(2) says.
		ExitCode: fmt.Sprintf("%d:%d", code>>8&0xff, code&0x7f), Restarts: count("restarts"),
		Submit: at("submit"), Start: at("start"), End: at("end"),
		Suspend: at("suspend"), PreSuspend: time.Duration(count("pre_suspend")) * time.Second,
	}
	return course, errors.Join(faults...)
}

// Suspend implements Scheduler.
func (c *Cluster) Suspend(ctx context.Context, id string) error { return c.do(ctx, "suspend", id) }

// Resume implements Scheduler.
func (c *Cluster) Resume(ctx context.Context, id string) error { return c.do(ctx, "resume", id) }

func (c *Cluster) do(ctx context.Context, verb, id string) error {
	if err := c.Control.Do(ctx, verb+" "+id); err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, err)
	}
	return nil
}

// Cancel implements Scheduler.
func (c *Cluster) Cancel(ctx context.Context, id string) error {
	number, err := numberOf(id)
	if err == nil {
		err = c.Control.Cancel(ctx, number)
	}
	if err != nil {
		return fmt.Errorf("cancel job %s: %w", id, err)
	}
	return nil
}
