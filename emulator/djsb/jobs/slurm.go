package jobs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// Slurm runs jobs by sbatch and scontrol.
type Slurm struct {
	Runner slurmctl.Runner
	// Reservation is that which all jobs run in (sbatch --reservation); empty for none.
	Reservation string
	// TaskPerCore asks for one task on each core, because front-end mode places those exactly
	// (docs/design/002-slurm-facts.md).
	TaskPerCore bool
	// Dir is a directory that the nodes see, too, where a job writes what it prints to ID.out;
	// empty for nowhere.
	Dir string
}

// Submit implements Scheduler.
func (s *Slurm) Submit(ctx context.Context, r Request) (string, error) {
	if s.TaskPerCore {
		r.Tasks, r.TasksPerNode, r.CPUsPerTask = r.CPUs(), r.TasksPerNode*r.CPUsPerTask, 1
	}
	output := "/dev/null"
	if s.Dir != "" {
		// In a path "%" begins a pattern (sbatch(1), filename pattern).
		output = strings.ReplaceAll(s.Dir, "%", "%%") + "/%j.out"
	}
	argv := []string{
		"sbatch", "--parsable", "-J", r.Name, "-N", strconv.Itoa(r.NodeCount()), "-n", strconv.Itoa(r.Tasks),
		"--ntasks-per-node=" + strconv.Itoa(r.TasksPerNode), "-t", strconv.Itoa(int(r.TimeLimit / time.Minute)), "-o", output,
	}
	if r.CPUsPerTask > 1 {
		argv = append(argv, "-c", strconv.Itoa(r.CPUsPerTask))
	}
	if len(r.Nodes) > 0 {
		argv = append(argv, "-w", strings.Join(r.Nodes, ","))
	}
	if s.Reservation != "" {
		argv = append(argv, "--reservation="+s.Reservation)
	}
	if r.Partition != "" {
		argv = append(argv, "-p", r.Partition)
	}
	out, err := s.Runner.Run(ctx, []byte(r.Script), argv...)
	if err != nil {
		return "", fmt.Errorf("submit job %s: %w", r.Name, complaint(argv, err))
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";")
	if n, ok := values.Count(id); !ok || n == 0 {
		return "", fmt.Errorf("submit job %s: sbatch printed %q, not a job id", r.Name, out)
	}
	return id, nil
}

// Poll implements Scheduler.
func (s *Slurm) Poll(ctx context.Context, id string) (Status, error) {
	argv := []string{"scontrol", "-o", "show", "job", id}
	out, err := s.Runner.Run(ctx, nil, argv...)
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, complaint(argv, err))
	}
	status, restarts, err := slurmStatus(string(out))
	if err == nil {
		err = earlier(ctx, s.Runner, id, restarts, &status)
	}
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, err)
	}
	return status, nil
}

// slurmStatus reads the line that "scontrol -o show job" prints. The job's name cannot
// imitate a field: sbatch was given it.
func slurmStatus(line string) (s Status, restarts int, err error) {
	word := func(key string) string {
		_, rest, _ := strings.Cut(line, " "+key+"=")
		text, _, _ := strings.Cut(rest, " ")
		return text
	}
	if word("JobState") == "" {
		return s, 0, fmt.Errorf("no JobState in %q", line)
	}
	var faults []error
	at := func(key string) time.Time {
		t, err := values.Time(word(key))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
		return t
	}
	count := func(key, what string) int {
		n, ok := values.Count(word(key))
		if !ok {
			faults = append(faults, fmt.Errorf("%s: got %q, want a number", what, word(key)))
		}
		return n
	}
	r := record{
		state: slurmctl.JobState(word("JobState")), reason: word("Reason"), exitCode: word("ExitCode"),
		submit: at("SubmitTime"), start: at("StartTime"), end: at("EndTime"), suspend: at("SuspendTime"),
	}
	if !r.suspend.IsZero() {
		r.preSuspend = time.Duration(count("SecsPreSuspend", "SecsPreSuspend")) * time.Second
	}
	restarts = count("Restarts", "number of Restarts")
	return r.status(), restarts, errors.Join(faults...)
}

// record is what slurmctld knows of a job.
type record struct {
	state            slurmctl.JobState
	reason, exitCode string
	// Before its start and its end Slurm shows what it expects.
	submit, start, end time.Time
	// suspend is the time of the last suspension or resumption, preSuspend for how long the
	// job had been at work before the former (slurm_sprint_job_info of src/api/job_info.c).
	suspend    time.Time
	preSuspend time.Duration
}

func (r record) status() Status {
	s := Status{Submit: r.submit}
	switch r.state {
	case slurmctl.JobPending, "CONFIGURING", "REQUEUED":
		s.State = Pending
		return s
	case slurmctl.JobRunning, slurmctl.JobCompleting:
		s.State = Running
	case slurmctl.JobSuspended, "STOPPED":
		s.State = Suspended
	case slurmctl.JobCompleted:
		s.State = Completed
	default:
		s.State, s.Reason = Failed, fmt.Sprintf("%s (exit code %s, reason %s)", r.state, r.exitCode, r.reason)
	}
	s.Start = r.start
	if s.State.Ended() {
		s.End = r.end
	}
	if !r.suspend.IsZero() {
		s.Suspended = r.suspend.Sub(r.start) - r.preSuspend
	}
	if s.State == Suspended {
		s.SuspendedAt = r.suspend
	}
	return s
}

// earlier completes the status of a job that was begun anew: by its accounting, as slurmctld
// knows only the last start, and takes the time of being requeued for that of submission.
func earlier(ctx context.Context, runner slurmctl.Runner, id string, restarts int, status *Status) error {
	if !status.State.Ended() || restarts == 0 {
		return nil
	}
	argv := []string{"sacct", "-D", "-X", "-n", "-P", "-j", id, "-o", "Submit,Start,End"}
	out, err := runner.Run(ctx, nil, argv...)
	if err != nil {
		return complaint(argv, err)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		var at [3]time.Time
		for i, text := range strings.SplitN(strings.TrimSpace(line), "|", len(at)) {
			if at[i], err = values.Time(text); err != nil {
				return fmt.Errorf("sacct: %w", err)
			}
		}
		submit, start, end := at[0], at[1], at[2]
		if start.IsZero() || !start.Before(status.Start) {
			continue
		}
		found++
		status.Lost += end.Sub(start)
		if submit.Before(status.Submit) {
			status.Submit = submit
		}
	}
	if found != restarts {
		return fmt.Errorf("sacct knows %d of its %d earlier starts", found, restarts)
	}
	return nil
}

// Suspend implements Scheduler.
func (s *Slurm) Suspend(ctx context.Context, id string) error { return s.control(ctx, "suspend", id) }

// Resume implements Scheduler.
func (s *Slurm) Resume(ctx context.Context, id string) error { return s.control(ctx, "resume", id) }

func (s *Slurm) control(ctx context.Context, verb, id string) error {
	argv := []string{"scontrol", verb, id}
	if _, err := s.Runner.Run(ctx, nil, argv...); err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, complaint(argv, err))
	}
	return nil
}

// Cancel implements Scheduler.
func (s *Slurm) Cancel(ctx context.Context, id string) error {
	argv := []string{"scancel", id}
	if _, err := s.Runner.Run(ctx, nil, argv...); err != nil {
		return fmt.Errorf("cancel job %s: %w", id, complaint(argv, err))
	}
	return nil
}

// complaint has what a command wrote to standard error in one line.
func complaint(argv []string, err error) error {
	var failed *slurmctl.CommandError
	if errors.As(err, &failed) {
		return slurmctl.Complaint(strings.Join(argv, " "), failed.Stderr)
	}
	return err
}
