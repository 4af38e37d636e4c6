package cli

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

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/progress"
	"github.com/slurmlab/slurmlab/faults"
	"github.com/slurmlab/slurmlab/results/format"
	"github.com/slurmlab/slurmlab/results/warnings"
)

// stopText says what a user who stops a command waits for.
const stopText = "stopping: collecting what ran and removing the clusters, mostly within 15 s; Ctrl-C again changes nothing"

// runAll carries out the runs, as many at a time as there are cores. The first
// failure stops those that are going, in good order, unless nobody attends. Without a
// run it does nothing.
func (e *execution) runAll(ctx context.Context, s *State, parallel int, configs []lab.Config) error {
	if len(configs) == 0 {
		return nil
	}
	if parallel == 0 || parallel > len(configs) {
		parallel = len(configs)
	}
	reserved, err := lab.Reserve(e.out, e.goesOn, e.room(parallel, configs))
	if err != nil {
		if errors.Is(err, fs.ErrExist) || errors.Is(err, lab.ErrReserved) {
			return usage(fmt.Errorf("out: %w", err))
		}
		return err
	}
	defer reserved.Release()
	board := newBoard(ctx, s, e.quiet, stopText, progressOf(configs)...)
	board.also = e.log
	defer board.close()
	cores, err := takeCores(ctx, e.core, parallel, board.waiting)
	if err != nil {
		return err
	}
	defer cores.release()
	board.note(estimate(configs, cap(cores.free)))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	all := &fleet{execution: e, board: board, configs: configs, stop: stop, waiting: newTurns(configs)}
	var group errgroup.Group
	for range cap(cores.free) {
		group.Go(func() error { return all.work(ctx, <-cores.free) })
	}
	return errors.Join(group.Wait(), all.failed())
}

// room is the free space that is asked for before anything begins. Each run asks again:
// an unattended command may have thousands.
func (e *execution) room(parallel int, configs []lab.Config) uint64 {
	if e.unattended {
		configs = configs[:min(parallel, len(configs), runtime.NumCPU())]
	}
	return lab.Room(configs...)
}

// fleet is the runs of a command while they are carried out.
type fleet struct {
	*execution
	board   *board
	configs []lab.Config
	stop    context.CancelCauseFunc
	mu      sync.Mutex
	waiting turns
	// failures are those of an unattended command, inARow the last of them without a run
	// that went well between.
	failures []error
	inARow   int
}

// work carries out runs on one core until none is left.
func (f *fleet) work(ctx context.Context, core *int) error {
	for {
		f.mu.Lock()
		cause := context.Cause(ctx)
		if cause != nil || f.waiting.none() {
			f.mu.Unlock()
			return f.between(cause)
		}
		i := f.waiting.next(core)
		f.mu.Unlock()
		c := f.configs[i]
		c.Core, c.Reserved = core, c.Dir == f.out
		c.Report, c.Warn = f.board.follow(i), f.board.warn
		err := f.run(ctx, c)
		f.board.ended(i, err)
		if err = f.judge(err); err != nil {
			return err
		}
	}
}

// run carries out a run, and again as often as is allowed if others disturbed it. What it
// was before is set aside; the last stays, disturbed or not.
func (f *fleet) run(ctx context.Context, c lab.Config) error {
	for again := range f.repeats + 1 {
		record, err := lab.Run(ctx, c)
		if err != nil || warnings.Quiet(record) || again == f.repeats {
			return err
		}
		to, err := lab.SetAside(c.Dir)
		if err != nil {
			return err
		}
		f.board.note(fmt.Sprintf("%s was disturbed by other programs on its core, is set aside as %s and made again (%d of %d)", c.Dir, to, again+1, f.repeats))
	}
	return nil
}

// between is the error of a command that ends between two runs.
func (f *fleet) between(cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.waiting.none() || errors.Is(cause, lab.ErrPeer):
		// The error is that of the run that failed.
		return nil
	case errors.Is(cause, lab.ErrStopped):
		return cause
	default:
		return lab.ErrStopped
	}
}

// mostInARow is how many runs may fail one after the other: what breaks each run breaks
// the thousand after it, too.
const mostInARow = 3

// judge says whether the command goes on after a run.
func (f *fleet) judge(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var environment *lab.EnvironmentError
	switch {
	case err == nil:
		f.inARow = 0
		return nil
	case errors.Is(err, lab.ErrPeer):
		return nil
	case f.unattended && !errors.Is(err, lab.ErrStopped) && !errors.As(err, &environment):
		f.failures, f.inARow = append(f.failures, err), f.inARow+1
		if f.inARow < mostInARow {
			return nil
		}
		f.stop(lab.ErrPeer)
		return fmt.Errorf("stopped after %d runs that failed one after the other", f.inARow)
	default:
		f.stop(lab.ErrPeer)
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
	return fmt.Errorf("%s of %d failed:\n%w", format.Plural(len(f.failures), "run"), len(f.configs), list.Err())
}

// estimate says how long runs will take, so many of them at a time.
func estimate(configs []lab.Config, parallel int) string {
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
		return about + fmt.Sprintf("%s, about %s of virtual time", format.Plural(jobs, "job"), progress.About(virtual))
	}
	return about + fmt.Sprintf("%d runs, %s, clusters at a time: %d", len(configs), format.Plural(jobs, "job"), parallel)
}
