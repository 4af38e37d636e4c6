package drive

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// cycles runs the agent every interval of virtual time, the first time after one interval: "Even if the queue is
// empty and the nodes are idle, a submitted job will wait a certain number of seconds" (IPSCHED section IV). So jobs
// that arrive together meet in one auction. A cycle that takes longer than the interval delays the next one, as in a
// scheduler plugin, to the next whole second of the run. At another instant (see phase) jobs could end while a cycle
// reads the queue, and chance would decide whether it sees the end. A wake-up that comes late does not move the
// cycles after it.
//
// With policy.CyclesChanged, cycles that could not decide anything are left out. The others run at the same instants
// as with policy.CyclesEvery. With policy.CyclesPrompt the cycle after a left-out one runs at the instant of the
// news, and no job waits on an idle machine for the next interval. The interval is shorter where jobs are short
// (auction.Pace).
//
// A run that stops has no cycle at that instant or later.
//
// A cycle that got no answer from Slurm is over; the next one takes place at its time
// and sees what became of the commands of the one before.
func (r *run) cycles(ctx context.Context, drained <-chan struct{}) error {
	kind, interval := r.Request.Policy.Parameters.Cycles, r.Request.Policy.Parameters.Interval
	due, skipped := r.nextCycle, 0
	var silent silence
	for {
		if r.nextCycle = due; r.stopsBefore(due) {
			return nil
		}
		if err := r.rest(ctx, due); err != nil {
			return err
		}
		r.came(trace.ActionCycle, due, 0, "")
		if err := r.arrivals(ctx, due); err != nil {
			return err
		}
		// The cycle may not see an arrival or end that happens from here on, so that
		// is news for the next one.
		r.news.forget()
		r.ended.take()
		record, err := r.Scheduler.Cycle(ctx, r.Clock.Now().Sub(r.began))
		record.Skipped = skipped
		emitErr := r.Emit(Event{Cycle: &record})
		if emitErr == nil {
			r.recorded++
		}
		if err = silent.tolerate(err, r.Clock.Now()); err == nil && !silent.since.IsZero() {
			err = r.reconnect(ctx)
		}
		if err == nil {
			err = emitErr
		}
		if err != nil {
			return err
		}
		select {
		case <-drained:
			if r.Scheduler.Waiting() == 0 {
				return nil
			}
		default:
		}
		if kind == policy.CyclesPrompt {
			interval = r.Scheduler.Pace(r.Request.Policy.Parameters.Interval)
		}
		due, skipped = due.Add(interval), 0
		if now := r.Clock.Now(); now.After(due) {
			due = now
			if kind != policy.CyclesPrompt {
				due = r.inPhase(now)
			}
		}
		if kind == policy.CyclesEvery || !r.Scheduler.Settled() {
			continue
		}
		at, err := r.news.await(ctx, r.Clock, r.Scheduler.Next())
		if err != nil {
			return err
		}
		switch wait := at.Sub(due); {
		case kind == policy.CyclesPrompt && (wait > 0 || record.Pending == 0):
			due, skipped = at, int(max(wait, 0)/interval)
		case wait > 0:
			skipped = int((wait + interval - 1) / interval)
			due = due.Add(time.Duration(skipped) * interval)
		}
	}
}

// firstCycle is the instant of the first cycle: an interval after the run began, and with policy.CyclesPrompt the first
// arrival, since the jobs that find an empty machine would otherwise wait an interval longer than under Slurm's own scheduler.
func (r *run) firstCycle() time.Time {
	if r.Request.Policy.Parameters.Cycles == policy.CyclesPrompt && len(r.Request.Jobs) > 0 {
		return later(r.began, r.due(r.Request.Jobs[0]))
	}
	return r.began.Add(r.Request.Policy.Parameters.Interval)
}

// rest waits for the instant of the next cycle. As long as an end could change where Slurm puts a released job, the
// scheduler hears of ends at once: Slurm starts what was released up to three seconds later (batch_sched_delay of
// slurm.conf(5)).
func (r *run) rest(ctx context.Context, due time.Time) error {
	for r.Scheduler.Fragile() {
		for _, id := range r.ended.take() {
			err := r.Scheduler.Withhold(ctx, id)
			if err != nil && !unanswered(err) {
				return err
			}
			if err != nil {
				r.Log.Warn("a job may start on other cores than planned", "ended", id, "error", err)
			}
		}
		if woken, err := r.Clock.Wait(ctx, due, r.ended.bell); err != nil || !woken {
			return err
		}
	}
	return r.Clock.SleepUntil(ctx, due)
}

// arrivals waits until the jobs that arrive at the very instant of a cycle have been
// submitted, and the events until then carried out. Without that it would depend on the load of the machine whether the cycle
// sees them. It does not wait if submission is late with earlier jobs: a real
// scheduler does not wait for jobs that sbatch has not handed in yet.
func (r *run) arrivals(ctx context.Context, instant time.Time) error {
	// Jobs are in the order of their arrival.
	arriving := func(job workloads.Job, at time.Time) int { return r.due(job).Compare(at) }
	before, _ := slices.BinarySearchFunc(r.Request.Jobs, instant, arriving)
	until, _ := slices.BinarySearchFunc(r.Request.Jobs, instant.Add(1), arriving)
	if submitted, _ := r.jobs.count(); submitted < before {
		return nil
	}
	happened := int64(r.eventsUntil(instant))
	for {
		// Events after the last end are not carried out.
		if submitted, _ := r.jobs.count(); submitted >= until && (r.carried.Load() >= happened || r.over()) {
			return nil
		}
		if _, err := r.news.await(ctx, r.Clock, time.Time{}); err != nil {
			return err
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// news tells the scheduler's loop that the cluster is no longer what the last
// cycle saw.
type news struct {
	mu sync.Mutex
	// first is the instant of the earliest news, zero for none.
	first time.Time
	bell  bell
}

// tell adds news of a virtual instant.
func (n *news) tell(at time.Time) {
	n.mu.Lock()
	if n.first.IsZero() || at.Before(n.first) {
		n.first = at
	}
	n.mu.Unlock()
	n.bell.ring()
}

// forget drops what there is.
func (n *news) forget() { n.take() }

func (n *news) take() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	first := n.first
	n.first = time.Time{}
	return first
}

// await waits until there is news and takes it, or until an instant, if that is not zero, which it returns then. Without one it gives
// the clock no deadline, so that the virtual time of an idle cluster can jump to the next arrival or end.
func (n *news) await(ctx context.Context, c clock.Clock, until time.Time) (time.Time, error) {
	for {
		if first := n.take(); !first.IsZero() {
			return first, nil
		}
		if woken, err := c.Wait(ctx, until, n.bell); err != nil || !woken {
			return until, err
		}
	}
}

// ended are jobs that have ended, by Slurm's ids.
type ended struct {
	mu   sync.Mutex
	ids  []int
	bell bell
}

func (e *ended) add(id int) {
	e.mu.Lock()
	e.ids = append(e.ids, id)
	e.mu.Unlock()
	e.bell.ring()
}

func (e *ended) take() []int {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := e.ids
	e.ids = nil
	return ids
}

// bell wakes one goroutine, which then looks whether something has changed: the bell
// may also ring when nothing has.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
