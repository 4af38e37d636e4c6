package benchmark

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
)

// Allocation runs jobs as steps of an allocation that Slurm has given already. Each is an srun of
// this machine, which starts the script in every task, beside other steps.
type Allocation struct {
	// Runner is for scancel and squeue.
	Runner slurmctl.Runner
	// ID is the allocation's job.
	ID string
	// Sruns are the processes of this machine.
	Sruns Interactive

	mu sync.Mutex
	// names have the names of the steps and steps their ids, by the ids of the jobs.
	names, steps map[string]string
}

// Submit implements Scheduler.
func (a *Allocation) Submit(ctx context.Context, r JobRequest) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// By its name a step is found, also among those of others in the allocation.
	name := fmt.Sprintf("%s.%d.%d", r.Name, os.Getpid(), len(a.names)+1)
	argv := []string{
		"exec", "srun", "--jobid=" + a.ID, "--overlap", "--input=none", "-J", name, "-N", strconv.Itoa(r.NodeCount()), "-n", strconv.Itoa(r.Tasks),
		"--ntasks-per-node=" + strconv.Itoa(r.TasksPerNode), "-c", strconv.Itoa(r.CPUsPerTask), "-t", strconv.Itoa(int(r.TimeLimit / time.Minute)),
	}
	if len(r.Nodes) > 0 {
		argv = append(argv, "-w", quoted(strings.Join(r.Nodes, ",")))
	}
	r.Script = strings.Join(append(argv, "/bin/bash", "-c", quoted(r.Script)), " ")
	id, err := a.Sruns.Submit(ctx, r)
	if err != nil {
		return "", err
	}
	if a.names == nil {
		a.names, a.steps = map[string]string{}, map[string]string{}
	}
	a.names[id] = name
	return id, nil
}

// quoted is the text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Poll implements Scheduler.
func (a *Allocation) Poll(ctx context.Context, id string) (Status, error) {
	status, err := a.Sruns.Poll(ctx, id)
	if err != nil || status.State != Running {
		return status, err
	}
	step, err := a.step(ctx, id)
	if err != nil {
		return Status{}, fmt.Errorf("poll job %s: %w", id, err)
	}
	if step == "" {
		// srun has not got it yet.
		return Status{State: Pending, Submit: status.Submit}, nil
	}
	return status, nil
}

// step returns the id of a job's step, empty if there is none yet.
func (a *Allocation) step(ctx context.Context, id string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.steps[id] != "" {
		return a.steps[id], nil
	}
	out, err := a.client().Run(ctx, nil, "squeue", "-h", "-s", "-j", a.ID, "-o", "%i %j")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if step, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == a.names[id] {
			a.steps[id] = step
		}
	}
	return a.steps[id], nil
}

// Suspend implements Scheduler. Slurm suspends jobs and no steps, so Suspend signals it to stop their processes.
func (a *Allocation) Suspend(ctx context.Context, id string) error {
	return a.Sruns.change("suspend", id, Running, Suspended, func(int) error { return a.signal(ctx, id, "STOP") })
}

// Resume implements Scheduler.
func (a *Allocation) Resume(ctx context.Context, id string) error {
	return a.Sruns.change("resume", id, Suspended, Running, func(int) error { return a.signal(ctx, id, "CONT") })
}

// signal sends a signal to all processes of a job's step.
func (a *Allocation) signal(ctx context.Context, id, signal string) error {
	step, err := a.step(ctx, id)
	if err != nil {
		return err
	}
	if step == "" {
		return fmt.Errorf("allocation %s has no step of it yet", a.ID)
	}
	_, err = a.client().Run(ctx, nil, "scancel", "--signal="+signal, step)
	return err
}

func (a *Allocation) client() *slurmctl.Client { return &slurmctl.Client{Runner: a.Runner} }

// Cancel implements Scheduler.
func (a *Allocation) Cancel(ctx context.Context, id string) error {
	status, err := a.Sruns.Poll(ctx, id)
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if status.State.Ended() {
		return nil
	}
	// A step that has ended meanwhile cannot be signalled, and srun ends with its step.
	err = a.signal(ctx, id, "KILL")
	if killed := a.Sruns.Cancel(ctx, id); killed != nil {
		return killed
	}
	if status, _ = a.Sruns.Poll(ctx, id); status.State == Completed {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel job %s: %w", id, err)
	}
	return nil
}
