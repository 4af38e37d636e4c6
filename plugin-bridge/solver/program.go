package solver

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Programs solves programs of any form, each in a process of its own, which is
// killed at the limit. Nothing can be had from a killed process: HiGHS is told a
// little less than the limit and usually ends by itself.
type Programs struct {
	// Path and Args start a process that runs ServeProgram.
	Path string
	Args []string
	// Seed is that of HiGHS.
	Seed uint32
}

// programRequest asks for the solution of one program.
type programRequest struct {
	Program program.Program
	Limit   time.Duration
	Seed    uint32
}

// programAnswer is a solution, or why there is none.
type programAnswer struct {
	Solution program.Solution
	Failure  string
}

// Solve returns within the limit, and the few milliseconds that it takes to end a
// process, what was found: StatusAbandoned, without a point, if the process
// overran. The point was checked against p. It fails when the process does, or
// when the context ends.
func (s Programs) Solve(ctx context.Context, p program.Program, limit time.Duration) (program.Solution, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	deadline, _ := bounded.Deadline()
	cmd := exec.CommandContext(bounded, s.Path, s.Args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return program.Solution{}, fmt.Errorf("start worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return program.Solution{}, fmt.Errorf("start worker: %w", err)
	}
	if err = cmd.Start(); err != nil {
		return program.Solution{}, fmt.Errorf("start worker: %w", err)
	}
	left := time.Until(deadline)
	answer, err := converse(in, out, programRequest{Program: p, Limit: left - reserve(left), Seed: s.Seed})
	err = errors.Join(err, cmd.Wait())
	switch cause := context.Cause(bounded); {
	case err == nil && answer.Failure == "":
	case errors.Is(cause, errLimit):
		return abandoned(p), nil
	case cause != nil:
		return program.Solution{}, fmt.Errorf("solve: %w", cause)
	case err != nil:
		return program.Solution{}, fmt.Errorf("solve: the worker failed: %w", err)
	default:
		return program.Solution{}, fmt.Errorf("solve: %s", answer.Failure)
	}
	found := answer.Solution
	if found.Values == nil {
		return found, nil
	}
	if err := p.Check(found.Values, program.Tolerance); err != nil {
		return program.Solution{}, fmt.Errorf("solve: the worker's point is not feasible: %w", err)
	}
	found.Objective = p.Value(found.Values)
	return found, nil
}

// abandoned is all that is known of a program without a solver.
func abandoned(p program.Program) program.Solution {
	bound := math.Inf(1)
	if !p.Maximise {
		bound = math.Inf(-1)
	}
	return program.Solution{Status: program.StatusAbandoned, Bound: bound}
}

// converse sends the request and reads the answer.
func converse(in io.WriteCloser, out io.Reader, q programRequest) (programAnswer, error) {
	buffered := bufio.NewWriter(in)
	sent := make(chan error, 1)
	go func() {
		sent <- errors.Join(gob.NewEncoder(buffered).Encode(q), buffered.Flush(), in.Close())
	}()
	var a programAnswer
	err := gob.NewDecoder(bufio.NewReader(out)).Decode(&a)
	if err == nil {
		err = <-sent
	}
	return a, err
}

// ServeProgram is the worker of Programs: it answers one request.
func ServeProgram(in io.Reader, out io.Writer, solve func(p program.Program, limit time.Duration, seed uint32) (program.Solution, error)) error {
	began := time.Now()
	var q programRequest
	if err := gob.NewDecoder(bufio.NewReader(in)).Decode(&q); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	var a programAnswer
	var err error
	// The limit counts from the start of the process on.
	if a.Solution, err = solve(q.Program, q.Limit-time.Since(began), q.Seed); err != nil {
		a.Failure = err.Error()
	}
	if err := gob.NewEncoder(out).Encode(a); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}
