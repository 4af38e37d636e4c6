package benchmark

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
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
	// Dir is a directory that the nodes share, where a job writes what it prints to ID.out; empty for nowhere.
	Dir string
}

// Submit implements Scheduler.
func (s *Slurm) Submit(ctx context.Context, r JobRequest) (string, error) {
	if s.TaskPerCore {
		r = r.perCore()
	}
	request := r.sbatch(s.Reservation)
	if r.CPUsPerTask > 1 {
		request.CPUsPerTask = r.CPUsPerTask
	}
	if s.Dir != "" {
		// In a path "%" begins a pattern (sbatch(1), filename pattern).
		request.Output = strings.ReplaceAll(s.Dir, "%", "%%") + "/%j.out"
	}
	id, err := s.client().Submit(ctx, request)
	if err != nil {
		return "", err
	}
	return strconv.Itoa(id), nil
}

// sbatch is the job as sbatch is asked for it, but for what it prints and for the cores of a task.
func (r JobRequest) sbatch(reservation string) sbatch.Request {
	request := sbatch.Request{
		Name: r.Name, Tasks: r.Tasks, Nodes: r.NodeCount(), TasksPerNode: r.TasksPerNode, TimeLimit: r.TimeLimit, Script: r.Script,
	}
	request.Reservation, request.Partition = reservation, r.Partition
	if len(r.Nodes) > 0 {
		request.NodeList = values.CompressHosts(r.Nodes)
	}
	return request
}

// perCore is the job with one task on each core.
func (r JobRequest) perCore() JobRequest {
	r.Tasks, r.TasksPerNode, r.CPUsPerTask = r.CPUs(), r.TasksPerNode*r.CPUsPerTask, 1
	return r
}

// Poll implements Scheduler.
func (s *Slurm) Poll(ctx context.Context, id string) (Status, error) {
	var course slurmctl.JobCourse
	number, err := numberOf(id)
	if err == nil {
		course, err = s.client().JobCourse(ctx, number)
	}
	var status Status
	if err == nil {
		status, err = statusOf(ctx, s.client(), number, course)
	}
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, err)
	}
	return status, nil
}

func (s *Slurm) client() *slurmctl.Client { return &slurmctl.Client{Runner: s.Runner} }

// numberOf is Slurm's id of a job.
func numberOf(id string) (int, error) {
	n, ok := values.Count(id)
	if !ok {
		return 0, fmt.Errorf("job id: got %q, want a number", id)
	}
	return n, nil
}

// statusOf is how a job stands whose course is known. For a job that Slurm started again it asks the accounting as well.
func statusOf(ctx context.Context, client *slurmctl.Client, id int, c slurmctl.JobCourse) (Status, error) {
	s := Status{Submit: c.Submit}
	switch c.State {
	case slurmctl.JobPending, "CONFIGURING", "REQUEUED":
		s.State = Pending
		return s, nil
	case slurmctl.JobRunning, slurmctl.JobCompleting:
		s.State = Running
	case slurmctl.JobSuspended, "STOPPED":
		s.State = Suspended
	case slurmctl.JobCompleted:
		s.State = Completed
	default:
		s.State, s.Reason = Failed, fmt.Sprintf("%s (exit code %s, reason %s)", c.State, c.ExitCode, c.Reason)
	}
	s.Start = c.Start
	if !c.Suspend.IsZero() {
		s.Suspended = c.Suspend.Sub(c.Start) - c.PreSuspend
	}
	if s.State == Suspended {
		s.SuspendedAt = c.Suspend
	}
	if !s.State.Ended() {
		return s, nil
	}
	s.End = c.End
	if c.Restarts == 0 {
		return s, nil
	}
	starts, err := client.Starts(ctx, id)
	if err == nil {
		err = s.addEarlier(starts, c.Restarts)
	}
	return s, err
}

// addEarlier adds the starts before the last one, of which there were so many.
func (s *Status) addEarlier(starts []accounting.Start, restarts int) error {
	found := 0
	for _, start := range starts {
		if start.Begin.IsZero() || !start.Begin.Before(s.Start) {
			continue
		}
		found++
		s.Lost += start.End.Sub(start.Begin)
		if start.Submit.Before(s.Submit) {
			s.Submit = start.Submit
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
	if _, err := s.client().Run(ctx, nil, "scontrol", verb, id); err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, err)
	}
	return nil
}

// Cancel implements Scheduler.
func (s *Slurm) Cancel(ctx context.Context, id string) error {
	number, err := numberOf(id)
	if err == nil {
		err = s.client().Cancel(ctx, number)
	}
	if err != nil {
		return fmt.Errorf("cancel job %s: %w", id, err)
	}
	return nil
}
