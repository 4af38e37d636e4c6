package solver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
)

// errLimit is the cause of the end of a context at our own time limit.
var errLimit = errors.New("time limit")

// Options are the parameters of a Solver.
type Options struct {
	// Start starts a worker, see Command.
	Start func() (Worker, error)
	// TimeLimit bounds each Solve in real time. A context's deadline shortens it.
	TimeLimit time.Duration
	// Log gets every process that is lost, and why; nil for nothing.
	Log *slog.Logger
}

// Solver is an auction.Solver with a worker process, which also solves programs of
// any form. It solves one problem at a time; other calls wait.
type Solver struct {
	options Options
	// quick limits the stages in our own process.
	quick packing.Limits
	// turn holds a token while a call uses the fields below.
	turn   chan struct{}
	link   *link
	number int
}

// New starts the worker and returns the solver, which must be closed.
func New(o Options) (*Solver, error) {
	if o.TimeLimit <= 0 {
		return nil, fmt.Errorf("create solver: time limit: %v is not allowed, want a positive one", o.TimeLimit)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Solver{options: o, quick: packing.QuickLimits(), turn: make(chan struct{}, 1)}
	if err := s.connect(); err != nil {
		return nil, fmt.Errorf("create solver: %w", err)
	}
	return s, nil
}

// Close kills the worker. It waits for a solve that is under way.
func (s *Solver) Close() {
	s.turn <- struct{}{}
	if s.link != nil {
		s.link.end()
		s.link = nil
	}
	<-s.turn
}

// Lost says why the worker has ended that nobody told to, "" while it lives. It waits for a
// solve that is under way. The next Solve starts another worker.
func (s *Solver) Lost() string {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.link == nil {
		return ""
	}
	select {
	case _, lives := <-s.link.answers:
		if !lives {
			return s.link.why(nil)
		}
	default:
	}
	return ""
}

func (s *Solver) connect() error {
	w, err := s.options.Start()
	if err != nil {
		return err
	}
	s.link = connect(w)
	return nil
}

// Solve returns within the time limit and the few milliseconds that the last
// checks take, whatever the worker does, an assignment with one of the statuses
//
//   - optimal: proven, within HiGHS's tolerances.
//   - enough: a better one may gain too little (auction.Problem.Enough).
//   - work_limit: the search ended after the work that it is allowed.
//   - time_limit: the search ended at the time limit, or another call had the
//     worker until then.
//   - abandoned: the worker overran the limit and was killed.
//   - worker_lost: the worker died, failed or answered what cannot be true, or
//     could not be started.
//
// In every case it is the best that was known by then, with its proven bound. Its Cause
// says why a worker was lost, late or busy. A new worker stands in for one that is no
// more.
// The error is not nil only when the context ended.
func (s *Solver) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.TimeLimit, errLimit)
	defer cancel()
	best := s.Quick(ctx, p)
	if best.Status.Done() {
		return best, nil
	}
	own := best.Phases
	q := request{Program: flattenAuction(p), Auction: true, Start: best.Selected, Bound: best.Bound}
	err := s.converse(ctx, q, func(a answer) error {
		if err := merge(p, &best, a); err != nil {
			return err
		}
		best.Phases = append(own[:len(own):len(own)], a.Phases...)
		if a.Failure != "" {
			best.Status, best.Cause = program.StatusWorkerLost, a.Failure
		}
		return nil
	})
	var lost lostError
	switch {
	case err == nil:
	case errors.As(err, &lost):
		best.Status, best.Cause = lost.status(), lost.Error()
	default:
		return auction.Assignment{}, fmt.Errorf("solve: %w", err)
	}
	return best, nil
}

// Quick runs the stages of our own process alone, which takes up to about 0.1 s.
func (s *Solver) Quick(ctx context.Context, p auction.Problem) auction.Assignment {
	started, limits := time.Now(), s.quick
	limits.Clock = func() time.Duration { return time.Since(started) }
	limits.Stop = func() bool { return ctx.Err() != nil }
	return packing.Quick(p, limits)
}

// merge takes the better parts of an answer. It fails if the answer cannot be
// true: an infeasible selection, or a bound below a known selection.
func merge(p auction.Problem, best *auction.Assignment, a answer) error {
	// rounding is the relative error of sums in another order.
	const rounding = 1e-9
	if err := p.Check(a.Selected); err != nil {
		return err
	}
	value := p.Value(a.Selected)
	if known := max(value, best.Objective); !(a.Bound >= known*(1-rounding)) {
		return fmt.Errorf("bound %g below a known selection of %g", a.Bound, known)
	}
	if value > best.Objective {
		best.Selected, best.Objective = a.Selected, value
	}
	best.Bound = math.Max(best.Objective, math.Min(best.Bound, a.Bound))
	best.Status = a.Status
	return nil
}
