package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// releasedJob is a released job that has not been seen started.
type releasedJob struct {
	// Holding is as planned. It has no End, as the time limit counts from the start.
	machine.Holding
	limit time.Duration // 0 without one
	// exclusive jobs get all GPUs of their nodes from Slurm.
	exclusive bool
	// since is the cycle of the release, patience the number of cycles from then on.
	since, patience int
	// fragile says that Slurm gives it the planned cores only if no running job ends on
	// its nodes before its start.
	fragile bool
	// resumed says that an agent before this one released the job, or was about to.
	resumed bool
}

// mostPatience bounds by what factor the patience with one job grows.
const mostPatience = 256

// patienceWith is how many cycles a job may take to start: twice as many as the last time
// when it was held again for not starting. Otherwise a Slurm that always needs longer than
// that would never start a job.
func (a *Agent) patienceWith(id int) int {
	return a.options.Patience << min(a.reheld[id], bits.Len(mostPatience)-1)
}

// Flight is a released job that has not been seen started, as one agent tells another
// that goes on in its place.
type Flight struct {
	Slurm     int // Slurm's job id
	Holding   machine.Holding
	Limit     time.Duration
	Exclusive bool
}

// Flights lists the jobs in flight, by Slurm's ids.
func (a *Agent) Flights() []Flight {
	all := make([]Flight, 0, len(a.flights))
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		f := a.flights[id]
		all = append(all, Flight{Slurm: id, Holding: f.Holding, Limit: f.limit, Exclusive: f.exclusive})
	}
	return all
}

// Resume takes over the jobs in flight of an agent that died. One of them may not have
// been released.
func (a *Agent) Resume(flights []Flight) {
	for _, f := range flights {
		a.flights[f.Slurm] = releasedJob{
			Holding: f.Holding, limit: f.Limit, exclusive: f.Exclusive, since: a.cycle,
			patience: a.options.Patience, resumed: true,
		}
	}
}

// forget drops what is known of jobs that were neither held nor pending.
func (a *Agent) forget(state State) {
	waits := make(map[int]bool, len(state.Held)+len(a.flights))
	for _, h := range state.Held {
		waits[h.Job] = true
	}
	for _, f := range a.flights {
		waits[f.Job] = true
	}
	a.guard.Keep(waits)
	if len(a.reheld)+len(a.narrowed) == 0 {
		return
	}
	there := make(map[int]bool, len(state.Held)+len(state.Pending))
	for _, h := range state.Held {
		there[h.ID] = true
	}
	for _, id := range state.Pending {
		there[id] = true
	}
	maps.DeleteFunc(a.reheld, func(id, _ int) bool { return !there[id] })
	maps.DeleteFunc(a.narrowed, func(id int, _ string) bool { return !there[id] })
}

// remember hands over the jobs in flight, before Slurm gets the release of one.
func (a *Agent) remember() error {
	if a.options.Remember == nil {
		return nil
	}
	if err := a.options.Remember(a.Flights()); err != nil {
		return fmt.Errorf("remember jobs in flight: %w", err)
	}
	return nil
}

// startedAt is what the job holds if it starts at an instant.
func (f releasedJob) startedAt(start time.Duration) machine.Holding {
	h := f.Holding
	if f.limit > 0 {
		h.End = start + f.limit
	}
	return h
}

// settle looks at every job in flight. One that has started is compared with its
// plan; one that Slurm holds again, or that has waited for too long, goes back to the
// window, or waits for the limit that Slurm names; any other one stays in flight.
func (a *Agent) settle(ctx context.Context, state State, now time.Duration, record *trace.Cycle) error {
	held := make(map[int]HeldJob, len(state.Held))
	for _, h := range state.Held {
		held[h.ID] = h
	}
	var started []int
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		f := a.flights[id]
		again, isHeld := held[id]
		switch {
		case isHeld && f.resumed && !again.ByOwner && again.Reason != slurmctl.ReasonBadConstraints:
			// The agent before died before it released the job.
			delete(a.flights, id)
		case isHeld:
			delete(a.flights, id)
			if err := a.found(ctx, again, record); err != nil {
				return err
			}
		case !slices.Contains(state.Pending, id):
			started = append(started, id)
		case state.Capped[id] != "" || a.cycle-f.since >= f.patience:
			if err := a.hold(ctx, id, f, state.Capped[id], record); err != nil {
				return err
			}
		}
	}
	if len(started) == 0 {
		return nil
	}
	allocated, err := a.cluster.Allocated(ctx, started)
	if err != nil {
		return fmt.Errorf("read placements: %w", err)
	}
	for _, id := range started {
		got, known := allocated[id]
		if got.Pending {
			continue
		}
		record.Checked = append(record.Checked, compare(a.flights[id], got, known, state.Nodes))
		if known {
			a.follow(id, got, now)
		}
		delete(a.flights, id)
		delete(a.reheld, id)
	}
	return nil
}

// found records a job in flight that is held again, by its owner or by Slurm. Any next update of a job with bad
// constraints would start it if it can be started (_update_job in src/slurmctld/job_mgr.c). So such a job is held
// like the others.
func (a *Agent) found(ctx context.Context, h HeldJob, record *trace.Cycle) error {
	reason := "held by Slurm: " + h.Reason
	if h.ByOwner {
		reason = "held by its owner"
	}
	record.Reheld = append(record.Reheld, trace.Refusal{Job: h.Job, Reason: reason})
	if h.Reason != slurmctl.ReasonBadConstraints {
		return nil
	}
	var refused *slurmctl.RefusedError
	if err := a.cluster.Hold(ctx, h.ID); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("hold job %d: %w", h.ID, err)
	}
	return nil
}

// hold takes a job back that did not start in time, or that Slurm keeps waiting for a limit. The job stays in flight
// when Slurm refuses, since then it has probably just started.
func (a *Agent) hold(ctx context.Context, id int, f releasedJob, limit string, record *trace.Cycle) error {
	err := a.cluster.Hold(ctx, id)
	var refused *slurmctl.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil:
		return fmt.Errorf("hold job %d: %w", id, err)
	}
	delete(a.flights, id)
	reason := fmt.Sprintf("not started %d cycles after its release", a.cycle-f.since)
	if limit != "" {
		a.capped[id], reason = limit, "Slurm keeps it waiting for a limit: "+limit
	} else {
		a.reheld[id]++
	}
	record.Reheld = append(record.Reheld, trace.Refusal{Job: f.Job, Reason: reason})
	return nil
}

// follow remembers what a job in flight holds now that it has started: the nodes and
// cores that Slurm gave it, which may be others than planned.
func (a *Agent) follow(id int, got Allocated, now time.Duration) {
	h := a.flights[id].startedAt(now)
	h.Nodes, h.Cores = got.Nodes, got.Cores
	a.running[id] = h
}

// holdings lists what the agent's jobs hold, running or in flight, and forgets
// those that do not run any more. Jobs without a time limit are left out: they have
// no end to wait for.
func (a *Agent) holdings(state State, now time.Duration) []machine.Holding {
	runs := make(map[int]bool, len(state.Running))
	for _, r := range state.Running {
		runs[r.ID] = true
	}
	maps.DeleteFunc(a.running, func(id int, _ machine.Holding) bool { return !runs[id] })
	var all []machine.Holding
	for _, id := range slices.Sorted(maps.Keys(a.running)) {
		all = append(all, a.running[id])
	}
	for _, id := range slices.Sorted(maps.Keys(a.flights)) {
		all = append(all, a.flights[id].startedAt(now))
	}
	return slices.DeleteFunc(all, func(h machine.Holding) bool { return h.End == 0 })
}
