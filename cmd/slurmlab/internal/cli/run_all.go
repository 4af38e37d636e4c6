package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/lab"
	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/progress"
	"github.com/slurmlab/slurmlab/results/format"
)

// stopText says what a user who stops a command waits for.
const stopText = "stopping: collecting what ran and removing the clusters, mostly within 15 s; Ctrl-C again changes nothing"

// runAll carries out the runs, as many at a time as there are cores. The first
// failure stops those that are going, in good order. Without a run it does nothing.
func (e *experiment) runAll(ctx context.Context, s *State, parallel int, configs []lab.Config) error {
	if len(configs) == 0 {
		return nil
	}
	if parallel == 0 || parallel > len(configs) {
		parallel = len(configs)
	}
	reserved, err := lab.Reserve(e.out, e.goesOn, lab.Room(configs...))
	if err != nil {
		if errors.Is(err, fs.ErrExist) || errors.Is(err, lab.ErrReserved) {
			return usage(fmt.Errorf("out: %w", err))
		}
		return err
	}
	defer reserved.Release()
	board := newBoard(ctx, s, e.quiet, stopText, progressOf(configs)...)
	defer board.close()
	cores, err := takeCores(ctx, e.core, parallel, board.waiting)
	if err != nil {
		return err
	}
	defer cores.release()
	board.note(estimate(configs, cap(cores.free)))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group errgroup.Group
	group.SetLimit(cap(cores.free))
	for i, c := range configs {
		group.Go(func() error {
			c.Core, c.Reserved = <-cores.free, c.Dir == e.out
			defer func() { cores.free <- c.Core }()
			err := context.Cause(ctx)
			switch {
			case err == nil:
				c.Report, c.Warn = board.follow(i), board.warn
				_, err = lab.Run(ctx, c)
				board.ended(i, err)
			case !errors.Is(err, lab.ErrPeer) && !errors.Is(err, lab.ErrStopped):
				// The command was interrupted between two runs.
				err = lab.ErrStopped
			}
			if errors.Is(err, lab.ErrPeer) {
				// The error is that of the run that failed.
				return nil
			}
			if err != nil {
				stop(lab.ErrPeer)
			}
			return err
		})
	}
	return group.Wait()
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
