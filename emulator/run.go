package emulator

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads"
)

// run is the state of a Driver at work.
type run struct {
	*Driver
	// began is virtual.
	began     time.Time
	submitted atomic.Int64
	// lag is written by submit alone.
	lag time.Duration
}

func (r *run) lagMax() float64 { return max(0, r.lag.Seconds()) }

// submit hands in every job at its arrival time.
func (r *run) submit(ctx context.Context) error {
	for _, job := range r.Request.Jobs {
		due := r.began.Add(time.Duration(job.Arrival) * time.Second)
		if err := r.Clock.SleepUntil(ctx, due); err != nil {
			return err
		}
		if _, err := r.Client.Submit(ctx, submission(job)); err != nil {
			return fmt.Errorf("submit job %d: %w", job.ID, err)
		}
		r.lag = max(r.lag, r.Clock.Now().Sub(due))
		r.submitted.Add(1)
	}
	return nil
}

// submission is a workload job in Slurm's terms. Its name is the workload's id,
// by which accounting is joined with the workload later.
func submission(job workloads.Job) slurmctl.SubmitRequest {
	return slurmctl.SubmitRequest{
		Name:         strconv.Itoa(job.ID),
		Tasks:        job.Cores,
		Nodes:        job.Nodes,
		TasksPerNode: job.CoresPerNode,
		GPUsMin:      job.GPUsMin,
		GPUsMax:      job.GPUsMin,
		Contiguous:   job.Contiguous,
		// The workload's limits are whole minutes.
		TimeLimit: time.Duration(job.Limit) * time.Second,
		Script:    payload(job.Runtime),
	}
}

// observeInterval is the real time between two looks at the queue.
const observeInterval = 500 * time.Millisecond

// stallLimit is the virtual time without a running job after which a run that
// still has jobs counts as stuck: some job can never start. The longest pause
// of a scheduler that works is backfill's interval of 30 s.
const stallLimit = time.Hour

// observe reports progress until all jobs have ended, then closes drained.
func (r *run) observe(ctx context.Context, drained chan<- struct{}) error {
	total := len(r.Request.Jobs)
	busy := r.Clock.Now()
	for {
		now := r.Clock.Now()
		submitted := int(r.submitted.Load())
		jobs, err := r.Client.Queue(ctx)
		if err != nil {
			return fmt.Errorf("read queue: %w", err)
		}
		queue := count(jobs)
		// Jobs submitted since the count was taken must not look done.
		done := max(0, submitted-len(jobs))
		if err := r.Emit(Event{Progress: &Progress{
			Time: now.Sub(r.began).Seconds(), Submitted: submitted, Running: queue.running, Done: done,
		}}); err != nil {
			return err
		}
		if submitted == total && done == total {
			close(drained)
			return nil
		}
		if queue.running > 0 || submitted < total {
			busy = now
		}
		if idle := now.Sub(busy); idle > stallLimit {
			return fmt.Errorf("no job ran for %v of virtual time while %d wait: %s",
				idle.Round(time.Second), queue.pending, strings.Join(slices.Sorted(maps.Keys(queue.reasons)), ", "))
		}
		if err := sleep(ctx, observeInterval); err != nil {
			return err
		}
	}
}

// queue counts the jobs that have not ended.
type queue struct {
	pending, running int
	// reasons are Slurm's for those that wait.
	reasons map[string]bool
}

func count(jobs []slurmctl.Job) queue {
	q := queue{reasons: map[string]bool{}}
	for _, j := range jobs {
		if j.State == slurmctl.JobPending {
			q.pending++
			q.reasons[j.Reason] = true
		} else {
			q.running++
		}
	}
	return q
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *run) path(name string) string { return filepath.Join(r.Out, name) }
