package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
)

// mostFailures in a row of the campaign itself end it: no other cell will do better.
const mostFailures = 3

// playAll plays cells. It plays cells that compute one after the other, and then cells that mostly wait, some at a
// time, of which only one computes (stage). A cell distinguishes its own containers, processes and files from all
// others (residue.go), so other cells beside it do not matter.
//
// Nobody may be there to begin again: one cell that cannot be played does not keep the
// others from it.
func (c *campaign) playAll(ctx context.Context, cells []check.Cell, play func(context.Context, check.Cell) error) error {
	began := time.Now()
	var mu sync.Mutex
	failures, left := 0, 0
	one := func(ctx context.Context, cell check.Cell) error {
		if ctx.Err() != nil || c.most > 0 && time.Since(began) > c.most {
			mu.Lock()
			defer mu.Unlock()
			left++
			return context.Cause(ctx)
		}
		err := play(ctx, cell)
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			failures = 0
			return nil
		}
		err = fmt.Errorf("%s: %w", cell.Name(), err)
		if failures++; failures == mostFailures || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "faults:", err)
		return nil
	}
	computing, waiting := slices.Clone(cells), slices.Clone(cells)
	computing = slices.DeleteFunc(computing, waits)
	waiting = slices.DeleteFunc(waiting, func(cell check.Cell) bool { return !waits(cell) })
	err := side(ctx, 1, computing, one)
	if err == nil {
		err = side(ctx, max(1, c.parallel), waiting, one)
	}
	if left > 0 {
		fmt.Fprintf(os.Stderr, "%d cells are left for the next time\n", left)
	}
	return err
}

// waits says that a cell needs the processor for some seconds only: a run whose victim
// stays stopped ends by a limit of a minute of real time.
func waits(cell check.Cell) bool { return cell.Action == check.Stop }

// side plays cells, some at a time, until one returns an error.
func side(ctx context.Context, atATime int, cells []check.Cell, one func(context.Context, check.Cell) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atATime)
	for _, cell := range cells {
		group.Go(func() error { return one(ctx, cell) })
	}
	return group.Wait()
}
