package solver

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/highs"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// workerEngine is what a worker solves with, which is HiGHS but in tests.
type workerEngine interface {
	packing.Engine
	SolveProgram(p program.Program, limit time.Duration, g highs.Guide) (program.Solution, error)
}

// Serve is the worker: it answers requests from in on out, with HiGHS. It returns as
// soon as in ends, also in the middle of a solve, so that a worker does not outlive its
// owner, or as soon as ctx ends, with its cause.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	e, err := highs.New()
	if err != nil {
		return err
	}
	return serve(ctx, in, out, e)
}

func serve(ctx context.Context, in io.Reader, out io.Writer, e workerEngine) error {
	requests := make(chan request)
	ended := make(chan error, 1)
	go func() {
		decoder := gob.NewDecoder(bufio.NewReader(in))
		for {
			var q request
			if err := decoder.Decode(&q); err != nil {
				ended <- err
				return
			}
			requests <- q
		}
	}()
	failed := make(chan error, 1)
	go func() {
		encoder := gob.NewEncoder(out)
		for q := range requests {
			if err := respond(encoder, e, q); err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-failed:
		return fmt.Errorf("answer: %w", err)
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("read request: %w", err)
	}
}

// respond answers one request: with each better point or bound of a program, and after
// each stage of an auction's.
func respond(encoder *gob.Encoder, e workerEngine, q request) error {
	if !q.Auction {
		var sendErr error
		found, err := e.SolveProgram(q.Program.program(), q.Limit, highs.Guide{Start: q.Point, Improved: func(values []float64, bound float64) {
			sendErr = errors.Join(sendErr, encoder.Encode(answer{Number: q.Number, Values: values, Bound: bound}))
		}})
		a := answer{Number: q.Number, Final: true, Values: found.Values, Bound: found.Bound, Status: found.Status}
		return errors.Join(sendErr, encoder.Encode(a.failed(err)))
	}
	started := time.Now()
	clock := func() time.Duration { return time.Since(started) }
	limits := packing.Limits{Clock: clock, Time: q.Limit, Stop: func() bool { return clock() >= q.Limit }}
	var sendErr error
	send := func(a auction.Assignment, final bool, err error) {
		told := answer{Number: q.Number, Selected: a.Selected, Bound: a.Bound, Status: a.Status, Phases: a.Phases, Final: final}
		sendErr = errors.Join(sendErr, encoder.Encode(told.failed(err)))
	}
	best, err := packing.Solve(q.Program.auction(), packing.Known{Selected: q.Start, Bound: q.Bound}, e, limits,
		func(a auction.Assignment) { send(a, false, nil) })
	send(best, true, err)
	return sendErr
}

// failed adds why a solution failed, if it did.
func (a answer) failed(err error) answer {
	if err != nil {
		a.Failure = err.Error()
	}
	return a
}
