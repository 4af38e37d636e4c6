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

// Slurm runs jobs by sbatch and scontrol. A job asks for one task per core, because
// front-end mode places those exactly (docs/design/002-slurm-facts.md).
type Slurm struct {
	Runner slurmctl.Runner
	// Reservation is that which all jobs run in (sbatch --reservation); empty for none.
	Reservation string
	// Partition is that of all jobs; empty for the default one.
	Partition string
}

// Submit implements Scheduler.
func (s *Slurm) Submit(ctx context.Context, r Request) (string, error) {
	argv := []string{
		"sbatch", "--parsable", "-J", r.Name, "-n", strconv.Itoa(r.CPUs()), "-N", strconv.Itoa(r.NodeCount()),
		"--ntasks-per-node=" + strconv.Itoa(r.TasksPerNode*r.CPUsPerTask), "-t", strconv.Itoa(int(r.TimeLimit / time.Minute)),
		"-o", "/dev/null", "-e", "/dev/null",
	}
	if len(r.Nodes) > 0 {
		argv = append(argv, "-w", strings.Join(r.Nodes, ","))
	}
	if s.Reservation != "" {
		argv = append(argv, "--reservation="+s.Reservation)
	}
	if s.Partition != "" {
		argv = append(argv, "-p", s.Partition)
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
	status, err := slurmStatus(string(out))
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, err)
	}
	return status, nil
}

// slurmStatus reads the line that "scontrol -o show job" prints. The job's name cannot
// imitate a field: sbatch was given it.
func slurmStatus(line string) (Status, error) {
	word := func(key string) string {
		_, rest, _ := strings.Cut(line, " "+key+"=")
		text, _, _ := strings.Cut(rest, " ")
		return text
	}
	var s Status
	state := slurmctl.JobState(word("JobState"))
	switch state {
	case slurmctl.JobPending, "CONFIGURING", "REQUEUED":
		s.State = Pending
	case slurmctl.JobRunning, slurmctl.JobCompleting:
		s.State = Running
	case slurmctl.JobSuspended, "STOPPED":
		s.State = Suspended
	case slurmctl.JobCompleted:
		s.State = Completed
	case "":
		return s, fmt.Errorf("no JobState in %q", line)
	default:
		s.State, s.Reason = Failed, fmt.Sprintf("%s (exit code %s, reason %s)", state, word("ExitCode"), word("Reason"))
	}
	var faults []error
	at := func(key string) time.Time {
		t, err := values.Time(word(key))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
		return t
	}
	s.Submit = at("SubmitTime")
	// Before its start and its end Slurm shows what it expects.
	if s.State != Pending {
		s.Start = at("StartTime")
	}
	if s.State.Ended() {
		s.End = at("EndTime")
	}
	return s, errors.Join(faults...)
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
