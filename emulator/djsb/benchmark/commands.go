package benchmark

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Commands runs jobs by shell commands, as the benchmark's job module does: "get_submit_command",
// "get_poll_completion_command(submit_stdout, submit_stderr)", "get_{suspend,resume}_command"
// (DJSB section 2.2). Each is run by /bin/sh with these variables:
//
//	DJSB_SCRIPT               path of the job's script (submit)
//	DJSB_NAME, DJSB_TASKS, DJSB_TASKS_PER_NODE, DJSB_CPUS_PER_TASK, DJSB_NODES (submit)
//	DJSB_PARTITION            the partition or queue; may be empty (submit)
//	DJSB_NODE_HOST_NAMES      the nodes where it may run, with commas; may be empty (submit)
//	DJSB_MINUTES              the job's time limit (submit)
//	DJSB_SUBMIT_STDOUT, DJSB_SUBMIT_STDERR   what submit printed (all others)
//
// Poll ends with exit status 0 when the job has completed and with 1 before; any other is an
// error. The job itself stamps its start and end in Dir, which its nodes must see under the
// same path, and writes what it prints to ID.out there.
type Commands struct {
	SubmitCommand, PollCommand, SuspendCommand, ResumeCommand string
	// CancelCommand is used for jobs that are left over; empty for none.
	CancelCommand string
	// Dir is an existing directory for scripts and stamps.
	Dir string

	mu   sync.Mutex
	jobs map[string]*commandsJob
}

type commandsJob struct {
	variables []string
	submit    time.Time
	suspended bool
	cancelled bool
	// gone is when poll first said that the job had completed.
	gone time.Time
}

// Submit implements Scheduler.
func (c *Commands) Submit(ctx context.Context, r JobRequest) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := strconv.Itoa(len(c.jobs) + 1)
	script := filepath.Join(c.Dir, id+".script")
	// The stamps are there at once with all of their text, hence mv.
	stamped := fmt.Sprintf(`#!/bin/bash
stamp() { echo "$EPOCHREALTIME $2" > %[1]s."$1".new && mv %[1]s."$1".new %[1]s."$1"; }
stamp start 0
/bin/bash %[1]s.payload > %[1]s.out 2>&1
status=$?
stamp end $status
exit $status
`, "'"+strings.ReplaceAll(filepath.Join(c.Dir, id), "'", `'\''`)+"'")
	for path, text := range map[string]string{script: stamped, filepath.Join(c.Dir, id+".payload"): r.Script} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			return "", fmt.Errorf("submit job %s: %w", r.Name, err)
		}
	}
	now := time.Now()
	stdout, stderr, code, err := shell(ctx, c.SubmitCommand, []string{
		"DJSB_SCRIPT=" + script, "DJSB_NAME=" + r.Name, "DJSB_TASKS=" + strconv.Itoa(r.Tasks), "DJSB_TASKS_PER_NODE=" + strconv.Itoa(r.TasksPerNode),
		"DJSB_CPUS_PER_TASK=" + strconv.Itoa(r.CPUsPerTask), "DJSB_NODES=" + strconv.Itoa(r.NodeCount()),
		"DJSB_PARTITION=" + r.Partition, "DJSB_NODE_HOST_NAMES=" + strings.Join(r.Nodes, ","), "DJSB_MINUTES=" + strconv.Itoa(int(r.TimeLimit/time.Minute)),
	})
	if err == nil && code != 0 {
		err = commandFault(c.SubmitCommand, code, stderr)
	}
	if err != nil {
		return "", fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	if c.jobs == nil {
		c.jobs = map[string]*commandsJob{}
	}
	c.jobs[id] = &commandsJob{submit: now, variables: []string{
		"DJSB_SUBMIT_STDOUT=" + strings.TrimSpace(stdout), "DJSB_SUBMIT_STDERR=" + strings.TrimSpace(stderr),
	}}
	return id, nil
}

// Poll implements Scheduler.
func (c *Commands) Poll(ctx context.Context, id string) (Status, error) {
	status, err := c.poll(ctx, id)
	if err != nil {
		return status, fmt.Errorf("poll job %s: %w", id, err)
	}
	return status, nil
}

func (c *Commands) poll(ctx context.Context, id string) (Status, error) {
	j, err := c.find(id)
	if err != nil {
		return Status{}, err
	}
	_, stderr, code, err := shell(ctx, c.PollCommand, j.variables)
	if err == nil && code > 1 {
		err = commandFault(c.PollCommand, code, stderr)
	}
	if err != nil {
		return Status{}, err
	}
	s := Status{State: Pending, Submit: j.submit}
	start, _, started, err := c.stamp(id, "start")
	if err != nil {
		return s, err
	}
	if started {
		s.State, s.Start = Running, start
		if j.suspended {
			s.State = Suspended
		}
	}
	end, exit, ended, err := c.stamp(id, "end")
	switch {
	case err != nil:
		return s, err
	case code == 1:
		return s, nil
	case ended:
		s.State, s.End = Completed, end
		if exit != 0 {
			s.State, s.Reason = Failed, fmt.Sprintf("exit status %d", exit)
		}
	case j.cancelled:
		s.State, s.End, s.Reason = Failed, time.Now(), "it was cancelled"
	case c.goneFor(id) > stampLimit:
		s.State, s.End, s.Reason = Failed, time.Now(), "it ended without its last stamp"
	}
	return s, nil
}

// stampLimit is how long the last stamp of a job that has completed may take to be seen.
// NFS keeps attributes of a directory for up to 60 s (acdirmax in nfs(5)).
const stampLimit = 65 * time.Second

// goneFor is the time since poll first said that the job had completed.
func (c *Commands) goneFor(id string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.jobs[id]
	if j.gone.IsZero() {
		j.gone = time.Now()
	}
	return time.Since(j.gone)
}

// stamp reads a stamp of the job, if it is there.
func (c *Commands) stamp(id, name string) (at time.Time, status int, there bool, err error) {
	text, err := os.ReadFile(filepath.Join(c.Dir, id+"."+name))
	if errors.Is(err, fs.ErrNotExist) {
		return at, 0, false, nil
	}
	if err != nil {
		return at, 0, false, err
	}
	var seconds, micros int64
	// EPOCHREALTIME has six decimals, after a point or, in some languages, a comma.
	if _, err := fmt.Sscanf(strings.Replace(string(text), ",", ".", 1), "%d.%06d %d", &seconds, &micros, &status); err != nil {
		return at, 0, false, fmt.Errorf("stamp %s: got %q, want seconds with six decimals and an exit status", name, text)
	}
	return time.Unix(seconds, micros*1000), status, true, nil
}

// Suspend implements Scheduler.
func (c *Commands) Suspend(ctx context.Context, id string) error {
	return c.act(ctx, "suspend", c.SuspendCommand, id, func(j *commandsJob) { j.suspended = true })
}

// Resume implements Scheduler.
func (c *Commands) Resume(ctx context.Context, id string) error {
	return c.act(ctx, "resume", c.ResumeCommand, id, func(j *commandsJob) { j.suspended = false })
}

// Cancel implements Scheduler.
func (c *Commands) Cancel(ctx context.Context, id string) error {
	if s, err := c.Poll(ctx, id); err != nil || s.State.Ended() {
		return err
	}
	return c.act(ctx, "cancel", c.CancelCommand, id, func(j *commandsJob) { j.cancelled = true })
}

// act runs a command on a job and notes that it was done.
func (c *Commands) act(ctx context.Context, verb, command, id string, note func(*commandsJob)) error {
	j, err := c.find(id)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if command == "" {
		return fmt.Errorf("%s job %s: there is no command for it", verb, id)
	}
	_, stderr, code, err := shell(ctx, command, j.variables)
	if err == nil && code != 0 {
		err = commandFault(command, code, stderr)
	}
	if err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	note(c.jobs[id])
	return nil
}

// find returns a copy of what is known of a job.
func (c *Commands) find(id string) (commandsJob, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j, ok := c.jobs[id]; ok {
		return *j, nil
	}
	return commandsJob{}, fmt.Errorf("no job %s was submitted", id)
}

// shell runs a command with variables besides those of this process.
func shell(ctx context.Context, command string, variables []string) (stdout, stderr string, code int, err error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = append(os.Environ(), variables...)
	// A command may leave a job behind that keeps the pipes open.
	cmd.WaitDelay = time.Second
	// A Ctrl-C in the terminal does not end it half-way, and what it started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", "", 0, context.Cause(ctx)
	case errors.As(err, &exit):
		return out.String(), complaints.String(), exit.ExitCode(), nil
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil
	}
	return out.String(), complaints.String(), 0, err
}

func commandFault(command string, code int, stderr string) error {
	return fmt.Errorf("command %q: exit status %d: %s", command, code, strings.TrimSpace(stderr))
}
