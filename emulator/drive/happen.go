package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// instant is the virtual time of an event.
func (r *run) instant(e events.Event) time.Time {
	return r.began.Add(time.Duration(e.At) * time.Second)
}

// nextEvent is the instant of the first event that was not carried out.
func (r *run) nextEvent() (at time.Time, some bool) {
	done := int(r.carried.Load())
	if done == len(r.Request.Events) {
		return time.Time{}, false
	}
	return r.instant(r.Request.Events[done]), true
}

// eventsUntil counts the events up to and including an instant.
func (r *run) eventsUntil(instant time.Time) int {
	n, _ := slices.BinarySearchFunc(r.Request.Events, instant.Add(1), func(e events.Event, at time.Time) int { return r.instant(e).Compare(at) })
	return n
}

// renew tells Slurm the updates again that were over at the checkpoint: a new slurmctld does not have them all.
func (r *run) renew(ctx context.Context) error {
	for _, e := range events.Again(r.Request.Events[:r.carried.Load()]) {
		err := r.patiently(ctx, func() error { return r.Slurm.Update(ctx, e.Words()...) })
		r.Log.Info("event of before the checkpoint, again", "event", e.String(), "error", err)
		if err != nil {
			return fmt.Errorf("event at %d s, before the checkpoint, again: %s: %w", e.At, e, err)
		}
	}
	return nil
}

// carryOut tells Slurm of an event. Limits are slurmdbd's, which only sacctmgr changes.
func (r *run) carryOut(ctx context.Context, e events.Event) error {
	if command := e.Command(); command != nil {
		return r.commandHeld(ctx, [][]string{command})
	}
	return r.Slurm.Update(ctx, e.Words()...)
}

// happen carries out the next event. What Slurm refuses ends the run, which would be another one than was asked for.
func (r *run) happen(ctx context.Context) error {
	e := r.Request.Events[r.carried.Load()]
	doubt := false
	err := r.patiently(ctx, func() error {
		err := r.carryOut(ctx, e)
		var refused *slurmctl.RefusedError
		if doubt && e.Kind == events.Resume && errors.As(err, &refused) {
			// A try without an answer took effect, and nothing is left to resume.
			return nil
		}
		doubt = doubt || errors.Is(err, slurmctl.ErrUnavailable)
		return err
	})
	told := trace.Happened{Event: e, Time: r.Clock.Now().Sub(r.began).Seconds()}
	if err != nil {
		told.Refused = err.Error()
	}
	r.Log.Info("event", "event", e.String(), "error", err)
	if emitErr := r.Emit(Event{Happened: &told}); err == nil {
		err = emitErr
	}
	if err != nil {
		return fmt.Errorf("event at %d s, %s: %w", e.At, e, err)
	}
	r.came(trace.ActionEvent, r.instant(e), 0, e.String())
	r.carried.Add(1)
	r.news.tell(r.instant(e))
	return nil
}
