package solver

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
)

// Serve is the worker: it answers requests from in on out until in ends, which
// also ends a solve that is under way: a worker does not outlive its owner.
func Serve(in io.Reader, out io.Writer, engine packing.Engine) error {
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
			if err := respond(encoder, engine, q); err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("answer: %w", err)
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("read request: %w", err)
	}
}

// respond streams what each stage finds.
func respond(encoder *gob.Encoder, engine packing.Engine, q request) error {
	started := time.Now()
	clock := func() time.Duration { return time.Since(started) }
	limits := packing.Limits{
		Seed: q.Seed, Clock: clock, Time: q.Limit,
		Stop: func() bool { return clock() >= q.Limit },
	}
	var sendErr error
	send := func(a answer) {
		a.Number = q.Number
		sendErr = errors.Join(sendErr, encoder.Encode(a))
	}
	best, err := packing.Solve(q.Problem.problem(), packing.Known{Selected: q.Start, Bound: q.Bound}, engine, limits,
		func(a auction.Assignment) {
			send(answer{Selected: a.Selected, Bound: a.Bound, Status: a.Status, Phases: a.Phases})
		})
	last := answer{Selected: best.Selected, Bound: best.Bound, Status: best.Status, Phases: best.Phases, Final: true}
	if err != nil {
		last.Failure = err.Error()
	}
	send(last)
	return sendErr
}
