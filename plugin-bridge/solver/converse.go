package solver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// lostError says why there was no last answer.
type lostError struct {
	cause string
	// limit: the time limit came first. busy: it came before the worker was free, so
	// that the worker was not even asked.
	limit, busy bool
}

func (e lostError) Error() string { return e.cause }

func (e lostError) status() program.Status {
	switch {
	case e.busy:
		return program.StatusTimeLimit
	case e.limit:
		return program.StatusAbandoned
	default:
		return program.StatusWorkerLost
	}
}

// reserve is the part of the time that the worker is not told of, for the way
// back of its last answer.
func reserve(left time.Duration) time.Duration { return left/50 + 2*time.Millisecond }

// converse waits for its turn, sends a request with the time that is left of the
// context, and hands each answer to take until the last one. It fails with a
// lostError, or with the cause of the context's end if that is not our own limit.
// A worker that is lost, late, or gives an answer at which take fails, is killed, and
// another one is started for the next call.
func (s *Solver) converse(ctx context.Context, q request, take func(answer) error) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return late(ctx, lostError{cause: "the solver's process was not free before the time limit", limit: true, busy: true})
	}
	if s.link == nil {
		if err := s.connect(); err != nil {
			<-s.turn
			return lostError{cause: err.Error()}
		}
	}
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	s.number++
	q.Number, q.Limit = s.number, left-reserve(left)
	s.link.ask(q)
	err := s.listen(ctx, take)
	if err == nil {
		<-s.turn
		return nil
	}
	if lost := (lostError{}); errors.As(err, &lost) {
		s.options.Log.Warn("solver's process is lost, starting another one", "request", s.number, "cause", lost.cause)
	}
	s.link.end()
	s.link = nil
	go func() {
		if startErr := s.connect(); startErr != nil {
			s.options.Log.Error("solver's process cannot be started, trying again at the next solution", "error", startErr)
		}
		<-s.turn
	}()
	return err
}

// listen takes the worker's answers until the last one.
func (s *Solver) listen(ctx context.Context, take func(answer) error) error {
	for {
		select {
		case a, open := <-s.link.answers:
			if !open {
				return lostError{cause: s.link.why(ctx.Done())}
			}
			if a.Number != s.number {
				return lostError{cause: fmt.Sprintf("the solver's process answered request %d, asked was %d", a.Number, s.number)}
			}
			if err := take(a); err != nil {
				return lostError{cause: fmt.Sprintf("the solver's process answered what cannot be true: %v", err)}
			}
			if a.Final {
				return nil
			}
		case <-ctx.Done():
			return late(ctx, lostError{cause: "the solver's process overran its time limit and was killed", limit: true})
		}
	}
}

// late returns the cause of the end of ctx, or lost if that is our own limit.
func late(ctx context.Context, lost lostError) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errLimit) {
		return cause
	}
	return lost
}
