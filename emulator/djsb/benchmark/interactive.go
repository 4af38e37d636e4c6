package benchmark

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Interactive runs jobs as processes of this machine, each at once, without any scheduler.
// The zero value is ready.
type Interactive struct {
	// Dir is an existing directory, where a job writes what it prints to ID.out; empty for
	// nowhere.
	Dir string

	mu   sync.Mutex
	jobs map[string]*interactiveJob
	last int
}

type interactiveJob struct {
	cmd    *exec.Cmd
	status Status
	ended  chan struct{}
}

// Submit implements Scheduler. The script runs in a process group of its own, which is
// suspended, resumed and cancelled as a whole.
func (i *Interactive) Submit(ctx context.Context, r JobRequest) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	id := strconv.Itoa(i.last + 1)
	// The job outlives this call.
	cmd := exec.Command("/bin/bash", "-c", r.Script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if i.Dir != "" {
		output, err := os.Create(filepath.Join(i.Dir, id+".out"))
		if err != nil {
			return "", fmt.Errorf("submit job %s: %w", r.Name, err)
		}
		// The job has it open itself.
		defer func() { _ = output.Close() }()
		cmd.Stdout, cmd.Stderr = output, output
	}
	j := &interactiveJob{cmd: cmd, ended: make(chan struct{})}
	now := time.Now()
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	j.status = Status{State: Running, Submit: now, Start: now}
	if i.jobs == nil {
		i.jobs = map[string]*interactiveJob{}
	}
	i.last++
	i.jobs[id] = j
	go i.wait(j)
	return id, nil
}

func (i *Interactive) wait(j *interactiveJob) {
	err := j.cmd.Wait()
	// What the script left in the background ends with it, as under a scheduler.
	_ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL)
	i.mu.Lock()
	defer i.mu.Unlock()
	j.status.State, j.status.End = Completed, time.Now()
	if err != nil {
		j.status.State, j.status.Reason = Failed, err.Error()
	}
	close(j.ended)
}

func (i *Interactive) find(id string) (*interactiveJob, error) {
	if j, ok := i.jobs[id]; ok {
		return j, nil
	}
	return nil, fmt.Errorf("no job %s was submitted", id)
}

// Poll implements Scheduler.
func (i *Interactive) Poll(_ context.Context, id string) (Status, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	j, err := i.find(id)
	if err != nil {
		return Status{}, fmt.Errorf("poll: %w", err)
	}
	return j.status, nil
}

// Suspend implements Scheduler.
func (i *Interactive) Suspend(_ context.Context, id string) error {
	return i.change("suspend", id, Running, Suspended, func(group int) error { return syscall.Kill(-group, syscall.SIGSTOP) })
}

// Resume implements Scheduler.
func (i *Interactive) Resume(_ context.Context, id string) error {
	return i.change("resume", id, Suspended, Running, func(group int) error { return syscall.Kill(-group, syscall.SIGCONT) })
}

// change does what brings a job, a process group, from one state into the next.
func (i *Interactive) change(verb, id string, in, next State, act func(group int) error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	j, err := i.find(id)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if j.status.State != in {
		return fmt.Errorf("%s: job %s is %s, want it %s", verb, id, j.status.State, in)
	}
	if err := act(j.cmd.Process.Pid); err != nil {
		return fmt.Errorf("%s job %s: %w", verb, id, err)
	}
	j.status.State = next
	return nil
}

// Cancel implements Scheduler.
func (i *Interactive) Cancel(_ context.Context, id string) error {
	i.mu.Lock()
	j, err := i.find(id)
	if err != nil {
		i.mu.Unlock()
		return fmt.Errorf("cancel: %w", err)
	}
	if !j.status.State.Ended() {
		err = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL)
	}
	i.mu.Unlock()
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("cancel job %s: %w", id, err)
	}
	<-j.ended
	return nil
}
