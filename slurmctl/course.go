package slurmctl

import (
	"bytes"
	"context"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/accounting"
)

// JobCourse is how a job goes on, as far as slurmctld knows: it forgets earlier starts.
type JobCourse struct {
	// State is any word of Slurm's.
	State JobState
	// ExitCode is CODE:SIGNAL.
	Reason, ExitCode string
	// Restarts counts the earlier starts, after each of which Slurm requeued the job. Submit is then the time of the last
	// requeue.
	Restarts int
	// Before its start and its end Slurm shows what it expects.
	Submit, Start, End time.Time
	// Suspend is the time of the last suspension or resumption, zero if there was none. PreSuspend is how long the
	// job had run before the former (slurm_sprint_job_info of src/api/job_info.c).
	Suspend    time.Time
	PreSuspend time.Duration
}

// JobCourse reads the course of a job. An unknown id is a *RefusedError.
func (c *Client) JobCourse(ctx context.Context, id int) (JobCourse, error) {
	out, err := c.Run(ctx, nil, "scontrol", "-o", "show", "job", strconv.Itoa(id))
	if err != nil {
		return JobCourse{}, err
	}
	return ParseJobCourse(out)
}

// ParseJobCourse reads the line that scontrol -o show job prints of one job. It needs no more fields than it has,
// so that it also reads the jobs of a site's Slurm, whose version may differ from ours. A job's name must not imitate them.
func ParseJobCourse(out []byte) (JobCourse, error) {
	f := fields{source: "scontrol show job", line: 1, text: string(out)}
	c := JobCourse{State: JobState(f.word("JobState")), Reason: f.word("Reason"), Restarts: f.count("Restarts"), ExitCode: f.word("ExitCode")}
	c.Submit, c.Start, c.End, c.Suspend = f.time("SubmitTime"), f.time("StartTime"), f.time("EndTime"), f.time("SuspendTime")
	c.PreSuspend = time.Duration(f.count("SecsPreSuspend")) * time.Second
	return c, f.err
}

// Starts reads the starts of a job, of which there are several if Slurm requeued it.
func (c *Client) Starts(ctx context.Context, id int) ([]accounting.Start, error) {
	out, err := c.Run(ctx, nil, accounting.StartsArgv(id)...)
	if err != nil {
		return nil, err
	}
	return accounting.ReadStarts(bytes.NewReader(out), "sacct")
}
