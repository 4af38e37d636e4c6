package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
)

// Scheduler is one pass of an agent at virtual time now since the start.
type Scheduler interface {
	Cycle(ctx context.Context, now time.Duration) (trace.Cycle, error)
	// Waiting is the number of jobs that were released and not yet verified.
	Waiting() int
	// Settled says that, until the next job is submitted or ends, or it is the time of Next, another
	// Cycle would decide nothing. No released job is waiting then. Next is on the clock of the run, zero for never.
	Settled() bool
	Next() time.Time
	// Pace is the time from one prompt cycle to the next while jobs wait, at most the given one.
	Pace(most time.Duration) time.Duration
	// Fragile says that Slurm may lay out a released job otherwise than planned once a job ends. Withhold is called
	// at such an end, with Slurm's id.
	Fragile() bool
	Withhold(ctx context.Context, ended int) error
}

// Slurm has the calls that a run makes while its clock runs. The methods have the meaning of slurmctl.Client's
// methods; a Client is a Slurm. In a cluster none of them starts a program. While one is read from a disk, a jump
// clock may take the cluster for idle, and what the program does comes too late.
type Slurm interface {
	// Submit submits a job and returns its id. After an error that wraps slurmctl.ErrUnavailable Slurm may have it.
	Submit(ctx context.Context, r sbatch.Request) (id int, err error)
	Cancel(ctx context.Context, ids ...int) error
	Update(ctx context.Context, words ...string) error
	Do(ctx context.Context, command string) error
	Queue(ctx context.Context) ([]slurmctl.QueuedJob, error)
	Known(ctx context.Context) (map[string]int, error)
}

// Driver is one run inside a booted cluster.
type Driver struct {
	// Client is for what comes before and after: while the run's clock is held.
	Client  *slurmctl.Client
	Slurm   Slurm
	Clock   clock.Clock
	Request Request
	// Prepare starts what the Scheduler needs, and has it learn what does not change. It is called once before the
	// clock runs; nil for nothing.
	Prepare func(ctx context.Context) error
	// Scheduler is nil where Slurm schedules by itself.
	Scheduler Scheduler
	// Reconnect is called when a cycle of the Scheduler got no answer: its connection to
	// Slurm may be broken. Nil if there is none.
	Reconnect func(ctx context.Context) error
	// Watch tells each daemon that died and serves again, and returns when one is gone
	// for good, with the fault.
	Watch func(ctx context.Context, restarted func(Outage)) error
	// Ends calls ended with the Slurm id of each job that has ended, as soon as
	// Slurm knows it, until ctx ends, whose cause it returns. A job may be
	// reported twice.
	Ends func(ctx context.Context, ended func(id int)) error
	// RunnerEnds are the ends of jobs that the runner of external nodes has told Slurm; nil for nodes without one.
	RunnerEnds func() ([]RunnerEnd, error)
	// Running tells the Slurm ids of the jobs that seem to run. It must not ask
	// Slurm, and may tell jobs that have ended.
	Running func() ([]int, error)
	// Heard tells the starts and ends of jobs since it was called last, for those who look at
	// the run; nil if nobody does. It must not ask Slurm.
	Heard func() ([]Heard, error)
	// Completed tells all ends of jobs that slurmctld has written down since the cluster was made; nil where it writes
	// none.
	Completed func() ([]Heard, error)
	// Computed is the processor time of the cluster so far, without the time of a jump clock's controller.
	Computed func() (time.Duration, error)
	// Processes are the ids of the cluster's processes by the names under which
	// their processor time is recorded; all others are summed up.
	Processes func() map[string][]int
	// Ended are the processes with such a name that are known to have ended, in the order of
	// their ends; nil for none.
	Ended func() []EndedProcess
	// Stopped are the names of the cluster's processes that a signal has stopped.
	Stopped func() []string
	// Uncontrolled says that the controller of a jump clock is gone, or that a signal has
	// stopped it, and that no other one has taken its place yet.
	Uncontrolled func() bool
	// BootStops are the processes that signals stopped while the cluster booted.
	BootStops []trace.Stop
	// Emit hands an event to slurmlab; an error ends the run.
	Emit func(Event) error
	// Log gets what a run cannot tell by its events; nil for nothing.
	Log *slog.Logger
	// Out is the directory for sacct.txt and sdiag.txt.
	Out string
	// Freeze ends the daemons of the cluster in good order and leaves their state in
	// boot.CheckpointDir. It is called once by a run that stops, whose clock is held.
	Freeze func(ctx context.Context) error
}

// ErrStopped is the cause of a run that was stopped.
var ErrStopped = errors.New("stopped before its end")

// Drive carries out the run and collects the accounting. The End says how it
// went; it is complete only if every job ended and is accounted for.
func (d *Driver) Drive(ctx context.Context) End {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	d.Log.Info("run begins", "policy", d.Request.Policy.Name, "jobs", len(d.Request.Jobs), "nodes", d.Request.Machine.Nodes)
	end := d.drive(ctx)
	switch end.Status {
	case trace.StatusComplete:
		d.Log.Info("run is complete", "submitted", end.Submitted)
	case trace.StatusIncomplete:
		d.Log.Warn("run was stopped", "submitted", end.Submitted, "error", end.Reason)
	default:
		d.Log.Error("run failed", "submitted", end.Submitted, "error", end.Reason)
	}
	return end
}

func (d *Driver) drive(ctx context.Context) End {
	end := End{Status: trace.StatusFailed}
	if err := os.MkdirAll(d.Out, 0o755); err != nil {
		end.Reason = fmt.Sprintf("make output directory: %v", err)
		return end
	}
	if err := d.admit(ctx); err != nil {
		end.Reason = err.Error()
		return end
	}
	d.warmUp(ctx)
	r := newRun(d)
	if err := r.reserve(ctx); err != nil {
		end.Reason = err.Error()
		return end
	}
	started := time.Now()
	ctx, endWatch := r.whileRunning(ctx)
	var err error
	end.Fidelity, err = r.measure(ctx)
	end.RealSeconds = time.Since(started).Seconds()
	end.Submitted, _ = r.jobs.count()
	end.Cycles = r.recorded
	switch {
	case err != nil:
	case r.isPaused():
		end.Position, err = r.checkpoint(ctx)
	default:
		var rows []accounting.Row
		if rows, err = r.collect(ctx, r.finished); err == nil {
			err = r.believe(rows)
		}
	}
	endWatch()
	if err != nil {
		err = r.blame(err)
		r.rescue(ctx)
	}
	if end.Fidelity != nil {
		end.Fidelity.Stops = slices.Concat(d.BootStops, r.stops.record())
	}
	r.tellReplaced(end.Fidelity)
	end.ArrivalLagMax, end.Lateness = r.lagMax(), r.lateness()
	switch {
	case err == nil && end.Position != nil:
		end.Status, end.Reason = trace.StatusIncomplete, errPaused.Error()
	case err == nil:
		end.Status = trace.StatusComplete
	case errors.Is(err, ErrStopped):
		end.Status, end.Reason = trace.StatusIncomplete, err.Error()
	default:
		end.Reason = err.Error()
	}
	return end
}

// warmUp starts the programs that ask and submit, which the first question does, before the run begins. Where the files of
// the container are slow, a clock that runs would take their start for idleness: first submissions 14 to 31 s late were
// measured.
func (d *Driver) warmUp(ctx context.Context) {
	_, err := d.Slurm.Queue(ctx)
	if err == nil && d.Prepare != nil {
		err = d.Prepare(ctx)
	}
	if err != nil {
		// The run asks again, and patiently.
		d.Log.Warn("no answer before the run", "error", err)
	}
}

// tellReplaced says that the controller of a jump clock died where that is not measured,
// which is before the first submission and after the last end.
func (r *run) tellReplaced(measured *trace.Fidelity) {
	died := 0
	// In this order: one that is replaced in between is counted.
	if r.Uncontrolled() {
		died++
	}
	died += int(r.Clock.Stats().Restarts)
	if measured != nil && measured.Jump != nil {
		died -= measured.Jump.Restarts
	}
	if died > 0 {
		// If nobody listens, the run's next event says so.
		_ = r.Emit(Event{Warning: "The controller of the clock died while no job ran; another one takes its place."})
	}
}

// measure carries out the run and records how well virtual time was kept.
func (r *run) measure(ctx context.Context) (*trace.Fidelity, error) {
	m, err := startMeter(r.Clock, r.began, r.Processes, r.Ended)
	if err != nil {
		return nil, err
	}
	before := r.Clock.Stats()
	err = r.schedule(ctx)
	// The last look of watchClock was some time ago. A clock without slots is the cause of
	// whatever else went wrong, such as jobs that never started.
	if fault := r.Clock.Stats().Since(before).Fault(); err == nil {
		err = fault
	} else if fault != nil && !errors.Is(err, clock.ErrNoSlot) {
		err = fmt.Errorf("%w; %w", fault, err)
	}
	measured, measureErr := m.Stop()
	if measured != nil && measured.Jump != nil {
		measured.Jump.Standstills = r.standstills
	}
	return measured, cmp.Or(err, measureErr)
}

// schedule runs submission, scheduler, progress and watchdog side by side until
// the last job has ended or one of them fails. The cluster's clock is held before
// and after: in the real seconds that starting and accounting take, an idle
// cluster's virtual time would jump ahead by hours.
func (r *run) schedule(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// The watchdog stands outside the group: a dead daemon must cancel the
	// commands that hang on it, and name itself as the cause.
	go func() {
		if err := r.Watch(ctx, r.restarted); ctx.Err() == nil {
			stop(err)
		}
	}()
	if err := r.renew(ctx); err != nil {
		return err
	}
	if err := r.convert(ctx); err != nil {
		return err
	}
	r.Clock.Go()
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	drained := make(chan struct{})
	group.Go(func() error { return r.pause(groupCtx, drained) })
	group.Go(func() error { return r.submit(groupCtx) })
	group.Go(func() error { return r.observe(groupCtx, drained) })
	group.Go(func() error { return r.submitter.recover(groupCtx, drained) })
	group.Go(func() error { return r.keepStatistics(groupCtx, drained) })
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
