package drive_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

var (
	errKilled = errors.New("the agent was killed")
	errOver   = errors.New("the scenario is over")
)

// restartAfter is how long it takes until somebody starts a killed agent again.
const restartAfter = 20 * time.Second

// keep plays a cluster that is kept for people. The faults cease, and then every job
// must end.
func keep(ctx context.Context, s scenario, without map[step]bool) outcome {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	c := newCluster(ctx, s, without)
	agents := make(chan func() trace.Hindered, 1)
	ended := make(chan error)
	go func() { ended <- c.agents(ctx, agents) }()
	submitErr := c.submitAll(ctx)
	for limit := time.Now().Add(s.calm + s.patience()); time.Now().Before(limit) && !c.done(); {
		if wait(ctx, time.Minute) != nil {
			break
		}
	}
	// The agent must notice the last end as well.
	_ = wait(ctx, settling*s.interval)
	end(errOver)
	if err := errors.Join(submitErr, <-ended); err != nil {
		c.checker.fault("%v", err)
	}
	hindered := <-agents
	var obstacles []string
	for _, o := range hindered().Obstacles {
		obstacles = append(obstacles, strconv.Itoa(o.Job))
	}
	c.checker.over(s.jobs, obstacles)
	if c.calmFrom >= 0 {
		late := map[int]bool{}
		for _, job := range s.jobs {
			late[job.ID] = s.mishaps[name(job)].Waits+s.mishaps[name(job)].Lags > 0
		}
		c.checker.calm(c.cycles[c.calmFrom:], late)
	}
	return c.finish(context.Background())
}

// agents keeps the cluster with one agent after the other: the one after a killed one knows only the jobs in flight.
// The last one sends on last which jobs are hindered.
func (c *cluster) agents(ctx context.Context, last chan<- func() trace.Hindered) error {
	for {
		life, kill := context.WithCancelCause(ctx)
		c.nemesis.kill = func() { kill(errKilled) }
		scheduler, session := c.newAgent(true)
		c.forget()
		err := drive.Keep(life, drive.Kept{
			Clock: c.clock, Began: c.clock.Now(), Interval: c.interval, Scheduler: scheduler, Reconnect: session.reopen,
			Record: func(trace.Cycle) error { return nil },
			Tell:   (&slurmctl.Client{Runner: c.nemesis}).Annotate,
			Stand:  func(watch.Agent) error { return nil },
			Log:    slog.New(slog.DiscardHandler),
		})
		kill(nil)
		if ctx.Err() != nil {
			last <- scheduler.Hindered
			return nil
		}
		if !errors.Is(err, errKilled) {
			last <- scheduler.Hindered
			return fmt.Errorf("the agent gave up: %w", err)
		}
		if err = wait(ctx, restartAfter); err != nil {
			last <- scheduler.Hindered
			return nil
		}
	}
}

// forget drops what the agent before knew of its releases.
func (c *cluster) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.checker.promised)
}

// submitAll hands in the jobs as people do, whom nothing befalls.
func (c *cluster) submitAll(ctx context.Context) error {
	client := slurmctl.Client{Runner: plugin{c.slurm, c.twins}}
	began := time.Now()
	for _, job := range c.jobs {
		if err := wait(ctx, time.Until(began.Add(time.Duration(job.Arrival)*time.Second+time.Second/3))); err != nil {
			return err
		}
		if _, err := client.Submit(ctx, request(job)); err != nil {
			return err
		}
	}
	return nil
}

func request(job workloads.Job) sbatch.Request {
	return sbatch.Request{
		Name: name(job), Tasks: job.Cores, Nodes: job.Nodes, TasksPerNode: job.CoresPerNode,
		GPUsMin: job.GPUsMin, GPUsMax: job.GPUsMax, TimeLimit: time.Duration(job.Limit) * time.Second, Script: "#!/bin/sh\n",
	}
}

// done says that every job has ended.
func (c *cluster) done() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, job := range c.jobs {
		if l := c.checker.jobs[name(job)]; l == nil || l.ended == 0 {
			return false
		}
	}
	return true
}
