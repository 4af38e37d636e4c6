package jobs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Interactive runs jobs as processes of this machine, each at once, without any scheduler.
// The zero value is ready; Close ends what still runs.
type Interactive struct {
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
func (i *Interactive) Submit(ctx context.Context, r Request) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	// The job outlives this call.
	cmd := exec.Command("/bin/bash", "-c", r.Script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	j := &interactiveJob{cmd: cmd, ended: make(chan struct{})}
	now := time.Now()
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("submit job %s: %w", r.Name, err)
	}
	j.status = Status{State: Running, Submit: now, Start: now}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.jobs == nil {
		i.jobs = map[string]*interactiveJob{}
	}
	i.last++
	id := strconv.Itoa(i.last)
	i.jobs[id] = j
	go i.wait(j)
	return id, nil
}

func (i *Interactive) wait(j *interactiveJob) {
	err := j.cmd.Wait()
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
	return i.signal("suspend", id, Running, Suspended, syscall.SIGSTOP)
}

// Resume implements Scheduler.
func (i *Interactive) Resume(_ context.Context, id string) error {
	return i.signal("resume", id, Suspended, Running, syscall.SIGCONT)
}

// signal sends a signal to a job in one state, which brings it into the next.
func (i *Interactive) signal(verb, id string, in, next State, s syscall.Signal) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	j, err := i.find(id)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	if j.status.State != in {
		return fmt.Errorf("%s: job %s is %s, want it %s", verb, id, j.status.State, in)
	}
	if err := syscall.Kill(-j.cmd.Process.Pid, s); err != nil {
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
