package slurmtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// long is a script that outlives every case.
const long = 600

// sleeping is a script that every backend runs, for some seconds.
func sleeping(seconds int) string {
	return fmt.Sprintf("#!/bin/sh\n%s\nexec sleep %d\n", jobs.Seconds{Fixed: seconds}.Line(), seconds)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	var refused *slurmctl.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, want) {
		t.Errorf("error %v, want a refusal with %q", err, want)
	}
}

// submit submits a held job with a long sleep.
func (tg target) submit(t *testing.T, r sbatch.Request) int {
	t.Helper()
	r.Hold, r.Script = true, sleeping(long)
	id, err := tg.client.Submit(t.Context(), r)
	must(t, err)
	return id
}

// place sends the updates of a placement.
func (tg target) place(t *testing.T, p slurmctl.JobUpdate) {
	t.Helper()
	must(t, p.Validate())
	for _, command := range slurmctl.UpdateCommands(p) {
		must(t, tg.do(t.Context(), command))
	}
}

// submitPlaced submits, places and releases a job.
func (tg target) submitPlaced(t *testing.T, tasks, gpus, perNode, minCPUs int, nodes ...string) int {
	t.Helper()
	id := tg.submit(t, sbatch.Request{Name: "placed", Tasks: tasks, GPUsMin: gpus, GPUsMax: gpus, TimeLimit: time.Hour})
	p := slurmctl.JobUpdate{JobID: id, Nodes: nodes, Tasks: tasks, TasksPerNode: perNode, MinCPUsNode: minCPUs, GPUsPerNode: gpus}
	// Impossible placements are part of the contract: no Validate.
	for _, command := range slurmctl.UpdateCommands(p) {
		must(t, tg.do(t.Context(), command))
	}
	must(t, tg.do(t.Context(), slurmctl.ReleaseCommand(id)))
	return id
}

func (tg target) queue(t *testing.T) []slurmctl.QueuedJob {
	t.Helper()
	jobs, err := tg.client.Queue(t.Context())
	must(t, err)
	return jobs
}

func (tg target) job(t *testing.T, id int) slurmctl.QueuedJob {
	t.Helper()
	for _, j := range tg.queue(t) {
		if j.ID == id {
			return j
		}
	}
	t.Fatalf("job %d is not in the queue", id)
	return slurmctl.QueuedJob{}
}

func (tg target) detail(t *testing.T, id int) slurmctl.JobDetail {
	t.Helper()
	jobs, err := tg.client.JobDetails(t.Context(), id)
	must(t, err)
	if len(jobs) != 1 || jobs[0].ID != id {
		t.Fatalf("details of job %d: %+v", id, jobs)
	}
	return jobs[0]
}

func coresOf(d slurmctl.JobDetail) []int {
	var all []int
	for _, a := range d.Allocations {
		all = append(all, a.Cores)
	}
	return all
}

func (tg target) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range tg.passes {
		if ok() {
			return
		}
		tg.pass()
	}
	t.Fatalf("waited in vain for %s; queue: %+v", what, tg.queue(t))
}

func (tg target) untilRunning(t *testing.T, ids ...int) {
	t.Helper()
	tg.until(t, "running jobs", func() bool {
		running := make(map[int]bool)
		for _, j := range tg.queue(t) {
			running[j.ID] = j.State == slurmctl.JobRunning
		}
		for _, id := range ids {
			if !running[id] {
				return false
			}
		}
		return true
	})
}

// clean cancels all jobs and waits until the nodes are idle.
func (tg target) clean(t *testing.T) {
	t.Helper()
	var ids []int
	for _, j := range tg.queue(t) {
		ids = append(ids, j.ID)
	}
	must(t, tg.client.Cancel(t.Context(), ids...))
	tg.until(t, "idle nodes", func() bool {
		nodes, err := tg.client.Nodes(t.Context())
		must(t, err)
		for _, n := range nodes {
			if !n.Available() || n.AllocCPUs > 0 {
				return false
			}
		}
		return len(tg.queue(t)) == 0
	})
}
