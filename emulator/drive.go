package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/emulator/clock"
	"github.com/slurmlab/slurmlab/emulator/fidelity"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
)

// Scheduler is one pass of an agent at virtual time now since the start.
type Scheduler interface {
	Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error)
	// Waiting is the number of jobs that were released and not yet verified.
	Waiting() int
	// Settled says that, until the next job is submitted or ends, another Cycle
	// would decide nothing. None is waiting then.
	Settled() bool
}

// Driver is one run inside a booted cluster.
type Driver struct {
	Client  *slurmctl.Client
	Clock   clock.Clock
	Request Request
	// Scheduler is nil where Slurm schedules by itself.
	Scheduler Scheduler
	// Watch returns when a daemon is gone, with the fault.
	Watch func(ctx context.Context) error
	// Ends calls ended with the Slurm id of each job that has ended, as soon as
	// Slurm knows it, until ctx ends, whose cause it returns. A job may be
	// reported twice.
	Ends func(ctx context.Context, ended func(id int)) error
	// Running counts the running jobs. It must not ask Slurm.
	Running func() (int, error)
	// Processes are the ids of the cluster's processes by the names under which
	// their processor time is recorded; all others are summed up.
	Processes func() map[string][]int
	// Emit hands an event to slurmlab; an error ends the run.
	Emit func(Event) error
	// Out is the directory for sacct.txt and sdiag.txt.
	Out string
}

// ErrStopped is the cause of a run that was told to stop.
var ErrStopped = errors.New("stopped before its end")

// Drive carries out the run and collects the accounting. The End says how it
// went; it is complete only if every job ended and is accounted for.
func (d *Driver) Drive(ctx context.Context) End {
	end := End{Status: trace.StatusFailed}
	if err := os.MkdirAll(d.Out, 0o755); err != nil {
		end.Reason = fmt.Sprintf("make output directory: %v", err)
		return end
	}
	if err := d.accounts(ctx); err != nil {
		end.Reason = err.Error()
		return end
	}
	r := newRun(d)
	started := time.Now()
	var err error
	end.Fidelity, err = r.measure(ctx)
	end.RealSeconds = time.Since(started).Seconds()
	end.Submitted, _ = r.jobs.count()
	if err == nil {
		err = r.collect(ctx, r.finished)
	} else {
		// What is there is still worth having, if Slurm answers at all.
		rescue, cancel := context.WithTimeout(context.WithoutCancel(ctx), rescueLimit)
		_ = r.collect(rescue, r.anything)
		cancel()
	}
	end.ArrivalLagMax = r.lagMax()
	switch {
	case err == nil:
		end.Status = trace.StatusComplete
	case errors.Is(err, ErrStopped):
		end.Status, end.Reason = trace.StatusIncomplete, err.Error()
	default:
		end.Reason = err.Error()
	}
	return end
}

// measure carries out the run and records how well virtual time was kept.
func (r *run) measure(ctx context.Context) (*trace.Fidelity, error) {
	meter, err := fidelity.Start(r.Clock, r.began, r.Processes)
	if err != nil {
		return nil, err
	}
	err = r.schedule(ctx)
	measured, measureErr := meter.Stop()
	return measured, cmp.Or(err, measureErr)
}

// schedule runs submission, scheduler, progress and watchdog side by side until
// the last job has ended or one of them fails. The cluster's clock is held
// before and after: in the real time that people and accounting take, virtual
// hours would pass.
func (r *run) schedule(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The watchdog stands outside the group: a dead daemon must cancel the
	// commands that hang on it, and name itself as the cause.
	go func() {
		if err := r.Watch(ctx); ctx.Err() == nil {
			stop(err)
		}
	}()
	r.Clock.Go()
	group, groupCtx := errgroup.WithContext(ctx)
	drained := make(chan struct{})
	group.Go(func() error { return r.submit(groupCtx) })
	group.Go(func() error { return r.observe(groupCtx, drained) })
	if r.Scheduler != nil {
		group.Go(func() error { return r.cycles(groupCtx, drained) })
	}
	err := group.Wait()
	r.Clock.Hold()
	if err != nil {
		// A command may notice a dead daemon before the watchdog does; the
		// daemon's name and log say more than the command's complaint.
		select {
		case <-ctx.Done():
		case <-time.After(verdictLimit):
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// verdictLimit is five intervals of the watchdog.
const verdictLimit = time.Second
