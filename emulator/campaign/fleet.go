package campaign

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// StopText says what a user who stops a command waits for.
const StopText = "stopping: collecting what ran and removing the clusters, mostly within 15 s; Ctrl-C again ends at once and leaves them behind"

// RunAll carries out the runs, as many at a time as there are cores. The first
// failure stops those that are going, in good order, unless nobody attends. Without a
// run it does nothing.
func (e *Execution) RunAll(ctx context.Context, parallel int, configs []run.Config) error {
	if len(configs) == 0 {
		return nil
	}
	if parallel == 0 || parallel > len(configs) {
		parallel = len(configs)
	}
	reserved, err := e.reserve(e.room(parallel, configs))
	if err != nil {
		if errors.Is(err, fs.ErrExist) || errors.Is(err, run.ErrReserved) {
			return faults.Usage(fmt.Errorf("out: %w", err))
		}
		return err
	}
	defer reserved.Release()
	board := e.Terminal.Show(ctx, StopText, e.there, configs)
	defer board.Close()
	cores, err := e.slots(ctx, board, parallel, configs)
	if err != nil {
		return err
	}
	defer cores.release()
	board.Note(estimate(configs, cap(cores.free)))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := newFleet(e, board, configs, stop)
	var group errgroup.Group
	for range cap(cores.free) {
		group.Go(func() error { return all.work(ctx, <-cores.free) })
	}
	err = errors.Join(group.Wait(), all.failed())
	// The next round of a campaign that adds seeds does without them.
	e.engines = slices.DeleteFunc(e.engines, func(of run.DockerHost) bool { return all.lost[of.Name()] != nil })
	return err
}

// slots takes what the clusters run on, and tells why there are fewer than wanted.
func (e *Execution) slots(ctx context.Context, board Board, parallel int, configs []run.Config) (slots, error) {
	if len(e.engines) > 0 {
		return e.slotsOfEngines(ctx, board, parallel, configs)
	}
	parallel, few := fitting(parallel, configs)
	if few != "" {
		board.Note(few)
	}
	return takeCores(ctx, e.Engine.On(), e.Core, parallel, board.Waiting)
}

// reserve takes the directory for this command, or beside others that share it.
func (e *Execution) reserve(room uint64) (*run.Reservation, error) {
	if e.Shared {
		return run.Share(e.Out, room)
	}
	return run.Reserve(e.Out, e.GoesOn, room)
}

// room is the free space that is asked for before anything begins. An unattended command may have thousands of runs.
// The ones that go at a time have the room of a run, in which each may write more than it is expected to. The others
// have what they are expected to leave.
func (e *Execution) room(parallel int, configs []run.Config) uint64 {
	if !e.Unattended {
		return run.Room(configs...)
	}
	processors := runtime.NumCPU()
	if len(e.engines) > 0 {
		processors = 0
		for _, on := range e.engines {
			processors += len(on.Cores)
		}
	}
	first := min(parallel, len(configs), processors)
	return run.Room(configs[:first]...) + run.Disk(configs[first:]...)
}

// fitting is how many of the runs may go at a time, at most parallel, and why if it is the memory
// that allows fewer than there are processors.
func fitting(parallel int, configs []run.Config) (most int, why string) {
	free, known := run.FreeMemory()
	if !known {
		return parallel, ""
	}
	return fittingIn(free, runtime.NumCPU(), parallel, configs)
}

// fittingIn is fitting with so many bytes free and so many processors.
func fittingIn(free uint64, processors, parallel int, configs []run.Config) (most int, why string) {
	most = run.AtATime(configs, free)
	if most >= min(parallel, processors) {
		return parallel, ""
	}
	return most, fmt.Sprintf("the %d MB of memory that are free have room for %s at a time", free>>20, text.Plural(most, "cluster"))
}

// fleet is the runs of a command while they are carried out.
type fleet struct {
	*Execution
	board Board
	// carry is run.Run.
	carry   func(context.Context, run.Config) (trace.Run, error)
	configs []run.Config
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	// ended is signalled when a run has ended; underWay counts the others.
	ended    *sync.Cond
	underWay int
	waiting  turns
	// failures of an unattended command. inARow are the last of them on each engine, by its name, without a run that
	// went well between.
	failures []error
	inARow   map[string]int
	// lost are the engines that get no more runs, by their names, with the reason.
	lost map[string]error
}

func newFleet(e *Execution, board Board, configs []run.Config, stop context.CancelCauseFunc) *fleet {
	f := &fleet{
		Execution: e, board: board, carry: run.Run, configs: configs, stop: stop, waiting: newTurns(configs),
		inARow: map[string]int{}, lost: map[string]error{},
	}
	f.ended = sync.NewCond(&f.mu)
	return f
}

// work carries out runs in one slot until none is left.
func (f *fleet) work(ctx context.Context, p slot) error {
	on, several := p.on.(run.DockerHost)
	for {
		if several {
			if err := f.await(ctx, on, p); err != nil {
				return err
			}
		}
		f.mu.Lock()
		// The engine of a run that is under way may be lost, and another one makes that run.
		for f.waiting.none() && f.underWay > 0 && len(f.engines) > 1 {
			f.ended.Wait()
		}
		cause := context.Cause(ctx)
		if cause != nil || f.waiting.none() || f.lost[p.on.Name()] != nil {
			f.mu.Unlock()
			return f.between(cause)
		}
		i := f.waiting.next(p)
		f.underWay++
		f.mu.Unlock()
		err := f.one(ctx, i, p)
		f.mu.Lock()
		f.underWay--
		f.ended.Broadcast()
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

// one carries out run i in a slot. The error ends the work there.
func (f *fleet) one(ctx context.Context, i int, p slot) error {
	c := f.configs[i]
	c.Core, c.Reserved, c.Engine = p.core, c.Dir == f.Out, p.on
	c.Report, c.Warn = f.board.Follow(i), f.board.Warn
	c.Watcher = f.board.Watcher(i)
	err := f.run(ctx, c)
	if errors.Is(err, errElsewhere) {
		f.board.Note(fmt.Sprintf("%s is complete, or another slurmlab carries it out", c.Dir))
		return nil
	}
	if on, several := p.on.(run.DockerHost); several && err != nil && ctx.Err() == nil {
		if _, down := on.Check(ctx); down != nil && ctx.Err() == nil {
			return f.without(on, i, down)
		}
	}
	f.board.Ended(i, err)
	return f.judge(p.on, err)
}

// run carries out a run, and again as often as is allowed if others disturbed it. What it
// was before is set aside; the last stays, disturbed or not. What a command that was killed has set aside
// counts.
func (f *fleet) run(ctx context.Context, c run.Config) error {
	if f.Shared {
		if err := f.claim(ctx, c); err != nil {
			return err
		}
	}
	for again := run.Attempts(c.Dir); ; again++ {
		record, err := f.carry(ctx, c)
		if f.Shared && errors.Is(err, fs.ErrExist) {
			return errElsewhere
		}
		if err != nil {
			return err
		}
		disturbance := record.Disturbance()
		if disturbance == "" || again >= f.Repeats {
			return f.pack(c)
		}
		to, err := run.SetAside(c.Dir)
		if err != nil {
			return err
		}
		f.board.Note(fmt.Sprintf("%s was disturbed by %s, is set aside as %s and made again (%d of %d)", c.Dir, disturbance, to, again+1, f.Repeats))
	}
}

// errElsewhere says that a run of a shared directory needs nothing from this command.
var errElsewhere = errors.New("another slurmlab has the run")

// claim looks once more at a run of a shared directory, since the last look was perhaps hours ago: a task may have been lost, and
// its runs given to another one. A broken run is set aside.
func (f *fleet) claim(ctx context.Context, c run.Config) error {
	found, err := c.Find()
	if err == nil && found.State == run.StateBroken {
		found.State, err = f.fetched(ctx, c)
	}
	switch {
	case err != nil:
		return err
	case found.State == run.StateComplete || found.State == run.StateRunning:
		return errElsewhere
	case found.State == run.StateBroken:
		to, err := run.SetAside(c.Dir)
		if err != nil {
			return err
		}
		f.board.Note(fmt.Sprintf("%s is broken and set aside: %s", c.Dir, to))
	}
	return nil
}

// between is the error of a command that ends between two runs.
func (f *fleet) between(cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.waiting.none() || cause == nil || errors.Is(cause, run.ErrPeer):
		// The error belongs to the run that failed.
		return nil
	case errors.Is(cause, run.ErrStopped):
		return cause
	default:
		return run.ErrStopped
	}
}

// mostInARow is how many runs may fail one after the other: what breaks each run also breaks the thousand after it.
const mostInARow = 3

// judge says whether the command goes on after a run.
func (f *fleet) judge(on run.Engine, err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var environment *run.EnvironmentError
	var absent *run.EngineError
	switch {
	case err == nil:
		f.inARow[on.Name()] = 0
		return nil
	case errors.Is(err, run.ErrPeer):
		return nil
	case f.Unattended && !errors.Is(err, run.ErrStopped) && (!errors.As(err, &environment) || errors.As(err, &absent)):
		f.failures = append(f.failures, err)
		if f.inARow[on.Name()]++; f.inARow[on.Name()] < mostInARow {
			return nil
		}
		return f.abandon(on, fmt.Errorf("%d runs that failed one after the other", mostInARow))
	default:
		f.stop(run.ErrPeer)
		return err
	}
}

// failed are the failures that stopped nothing.
func (f *fleet) failed() error {
	if len(f.failures) == 0 {
		return nil
	}
	list := faults.List{}
	for _, err := range f.failures {
		list.Add(0, err)
	}
	return fmt.Errorf("%s of %d failed:\n%w", text.Plural(len(f.failures), "run"), len(f.configs), list.Err())
}

// estimate says how long runs will take, so many of them at a time.
func estimate(configs []run.Config, parallel int) string {
	jobs := 0
	// Each run begins on the core that is free first.
	ends := make([]time.Duration, parallel)
	var virtual time.Duration
	for _, c := range configs {
		e := c.Estimate()
		next := slices.Index(ends, slices.Min(ends))
		ends[next] += e.Real
		jobs, virtual = jobs+len(c.Jobs), e.Virtual
	}
	about := "about " + progress.About(slices.Max(ends)) + " of real time: "
	if len(configs) == 1 {
		return about + fmt.Sprintf("%s, about %s of virtual time", text.Plural(jobs, "job"), progress.About(virtual))
	}
	return about + fmt.Sprintf("%d runs, %s, clusters at a time: %d", len(configs), text.Plural(jobs, "job"), parallel)
}
