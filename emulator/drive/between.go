package drive

import (
	"context"
	"slices"
	"time"
)

// between does what is to be done before the arrival of the next job. It cancels the jobs whose users leave before,
// and carries out the events until then, including events at the very instant unless the run stops at it. Without a
// next arrival, for which the instant is the zero time, it goes on until no cancellation and no event is left, or all
// jobs have ended.
func (r *run) between(ctx context.Context, arrival time.Time) error {
	for {
		if r.over() {
			return nil
		}
		r.leaving = slices.DeleteFunc(r.leaving, func(l leaving) bool { return !r.jobs.waits(l.job) })
		at, act := r.next(arrival)
		if act == nil {
			return nil
		}
		// An end may make a cancellation needless.
		if woken, err := r.Clock.Wait(ctx, at, r.left); err != nil {
			return err
		} else if woken {
			continue
		}
		if err := act(ctx); err != nil {
			return err
		}
	}
}

// next is the first cancellation, event or imposition of limits before an arrival and its instant; nil for none.
func (r *run) next(arrival time.Time) (at time.Time, act func(context.Context) error) {
	if len(r.leaving) > 0 && (arrival.IsZero() || r.leaving[0].at.Before(arrival)) {
		at, act = r.leaving[0].at, r.cancel
	}
	event, some := r.nextEvent()
	if some && !r.stopsBefore(event) && (arrival.IsZero() || !event.After(arrival)) && (act == nil || !event.After(at)) {
		at, act = event, r.happen
	}
	limits, some := r.imposition()
	if some && !r.stopsBefore(limits) && (arrival.IsZero() || !limits.After(arrival)) && (act == nil || !limits.After(at)) {
		at, act = limits, r.imposeLimits
	}
	return at, act
}

// over says that all jobs of the run were submitted and have ended.
func (r *run) over() bool {
	submitted, done := r.jobs.count()
	return submitted == len(r.Request.Jobs) && done == submitted
}
