package drive

import (
	"context"
	"fmt"
	"time"
)

const (
	day = 24 * time.Hour
	// beforeReset is how long before a midnight a run asks for Slurm's statistics, in real time where that is more. It
	// ends at no whole second, when Slurm acts, and at no half, when the run does (see phase).
	beforeReset = 1250 * time.Millisecond
)

// keepStatistics asks for what slurmctld has counted, shortly before it begins to count again at each midnight, in UTC
// (src/slurmctld/controller.c, _slurmctld_background). What it counts between the question and midnight is lost.
func (r *run) keepStatistics(ctx context.Context, drained <-chan struct{}) error {
	margin := max(beforeReset, time.Duration(float64(beforeReset)*r.Clock.Scale))
	for {
		midnight := r.Clock.Now().Add(margin).Truncate(day).Add(day)
		look := midnight.Add(-margin)
		if r.stopsBefore(look) {
			return nil
		}
		if over, err := r.Clock.Wait(ctx, look, drained); err != nil || over {
			return err
		}
		diag, err := r.Client.Diag(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		late := r.Clock.Now().Sub(midnight)
		if err == nil && late < 0 {
			r.statistics = append(r.statistics, diag...)
			continue
		}
		if err == nil {
			err = fmt.Errorf("the answer came %s after midnight", late.Round(time.Millisecond))
		}
		r.Log.Warn("statistics of a day are lost", "until", midnight, "error", err)
		err = r.Emit(Event{Warning: fmt.Sprintf("The metrics of Slurm's cycles lack the day before %s, whose statistics were lost: %v.", midnight.Format(time.DateTime), err)})
		if err != nil {
			return err
		}
	}
}
