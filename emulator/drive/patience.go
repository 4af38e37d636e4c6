package drive

import (
	"context"
	"errors"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

const (
	// answerLimit is the virtual time for which a run waits for Slurm to answer. A
	// daemon that is started again serves within seconds.
	answerLimit = 10 * time.Minute
	// answerPoll is the virtual time between two tries.
	answerPoll = time.Second
)

// controller is the daemon that knows the jobs.
const controller = "slurmctld"

// patiently tries until Slurm answers, which is no failure and no refusal as long as it
// takes less than answerLimit.
func (r *run) patiently(ctx context.Context, try func() error) error {
	until := r.Clock.Now().Add(answerLimit)
	for {
		err := try()
		if !errors.Is(err, slurmctl.ErrUnavailable) || r.Clock.Now().After(until) {
			return err
		}
		if err := r.Clock.Sleep(ctx, answerPoll); err != nil {
			return err
		}
	}
}

// silence is how long the cycles of a scheduler get no answer.
type silence struct {
	// since is the first of them in a row, zero without one.
	since time.Time
}

// tolerate takes the error of a cycle, and returns it unless it is a silence of less than
// answerLimit.
func (s *silence) tolerate(err error, now time.Time) error {
	if !unanswered(err) {
		s.since = time.Time{}
		return err
	}
	if s.since.IsZero() {
		s.since = now
	}
	if now.Sub(s.since) > answerLimit {
		return err
	}
	return nil
}

// unanswered says that Slurm did not answer a scheduler.
func unanswered(err error) bool {
	return errors.Is(err, slurmctl.ErrUnavailable) || errors.Is(err, slurmctl.ErrSessionBroken)
}

// reconnect renews the scheduler's connection to Slurm.
func (r *run) reconnect(ctx context.Context) error {
	if r.Reconnect == nil {
		return nil
	}
	return r.Reconnect(ctx)
}

// Outage is a daemon of the cluster that died and serves again.
type Outage struct {
	Daemon string
	// How it died, "signal: killed".
	How string
	// Died is virtual.
	Died time.Time
	// Real and Virtual are how long it did not serve.
	Real, Virtual time.Duration
}

// restarted takes note of an outage.
func (r *run) restarted(o Outage) {
	restart := trace.Restart{
		Daemon: o.Daemon, How: o.How, Time: o.Died.Sub(r.began).Seconds(),
		Seconds: o.Virtual.Seconds(), RealSeconds: o.Real.Seconds(),
	}
	r.Log.Warn(restart.Text())
	// If nobody listens, the run's next event says so.
	_ = r.Emit(Event{Restart: &restart})
	r.revived.Store(true)
	if o.Daemon == controller {
		r.killed.ring()
	}
}
