package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
)

// ErrNotBuilt is returned by New in a program built without the tag highs.
var ErrNotBuilt = errors.New("built without HiGHS (build tag highs, cgo)")

// DefaultTimeLimit is the limit of AUCSCHED section 6.2: "For solving the IP
// problem with CPLEX, a time limit of 5 seconds was used."
const DefaultTimeLimit = 5 * time.Second

// Options are the parameters of a Solver. The zero value is usable.
type Options struct {
	// TimeLimit bounds one solve in real time; 0 means DefaultTimeLimit. A
	// context's deadline shortens it.
	TimeLimit time.Duration
	// Seed is the random seed of HiGHS and of the greedy start.
	Seed uint32
	// GreedyWork is auction.Greedy.Work of the start.
	GreedyWork int
}

// Solver is an auction.Solver. It runs one solve at a time: while HiGHS is
// busy, other calls get the greedy assignment.
type Solver struct {
	options Options
	engine  engine
	// busy holds a token while the engine runs, abandoned or not.
	busy chan struct{}
}

// engine runs HiGHS once. It may overrun the limit.
type engine func(p auction.Problem, start []int, limit time.Duration, seed uint32) (outcome, error)

// outcome is what HiGHS found out.
type outcome struct {
	// selected is its best selection, nil if it has none.
	selected []int
	// bound is proven, +Inf if nothing is.
	bound   float64
	optimal bool
}

// New returns a solver, or ErrNotBuilt.
func New(o Options) (*Solver, error) {
	run, err := newEngine()
	if err != nil {
		return nil, fmt.Errorf("create solver: %w", err)
	}
	return newSolver(o, run), nil
}

func newSolver(o Options, run engine) *Solver {
	if o.TimeLimit <= 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	return &Solver{options: o, engine: run, busy: make(chan struct{}, 1)}
}

// patience is how long an engine with a limit is waited for. HiGHS looks at its
// limit between the steps of its presolve only, and was seen to overrun it by a
// factor of three (HiGHS issues 1501, 2226, 2478).
func patience(limit time.Duration) time.Duration {
	return limit + limit/2 + 500*time.Millisecond
}

// Solve returns an assignment with one of these statuses:
//
//   - optimal: proven, within HiGHS's tolerances.
//   - time_limit: the best selection that HiGHS found in time.
//   - greedy: auction.Greedy's was better, or HiGHS failed, or it was still
//     busy with a solve that had been abandoned.
//   - abandoned: HiGHS overran its limit too far; the assignment is
//     auction.Greedy's. A thread inside HiGHS cannot be stopped, so it is left
//     to end by itself, and no second one is started until it has.
//
// The error is not nil only when the context ended.
func (s *Solver) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	fallback, err := auction.Greedy{Seed: uint64(s.options.Seed), Work: s.options.GreedyWork}.Solve(ctx, p)
	if err != nil {
		return auction.Assignment{}, fmt.Errorf("solve with HiGHS: %w", err)
	}
	if fallback.Objective >= fallback.Bound {
		// No job could win more. This also covers programs without columns or
		// rows, which lanl/highs cannot take.
		fallback.Status = auction.StatusOptimal
		return fallback, nil
	}
	select {
	case s.busy <- struct{}{}:
	default:
		return fallback, nil
	}

	limit := s.options.TimeLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(time.Millisecond, min(limit, time.Until(deadline)))
	}
	type answer struct {
		outcome outcome
		err     error
	}
	done := make(chan answer, 1)
	go func() {
		found, runErr := s.engine(p, fallback.Selected, limit, s.options.Seed)
		<-s.busy
		done <- answer{found, runErr}
	}()
	timer := time.NewTimer(patience(limit))
	defer timer.Stop()
	select {
	case a := <-done:
		if a.err != nil {
			return fallback, nil
		}
		return better(p, fallback, a.outcome), nil
	case <-timer.C:
		fallback.Status = auction.StatusAbandoned
		return fallback, nil
	case <-ctx.Done():
		return auction.Assignment{}, fmt.Errorf("solve with HiGHS: %w", ctx.Err())
	}
}

// tolerance is the relative error up to which HiGHS's floating point optimum
// may fall below a selection that it should have found.
const tolerance = 1e-9

// better combines the greedy assignment with what HiGHS found. A selection that
// violates a row within HiGHS's tolerances is none.
func better(p auction.Problem, greedy auction.Assignment, found outcome) auction.Assignment {
	best := greedy
	best.Bound = min(greedy.Bound, found.bound)
	if found.selected != nil && p.Check(found.selected) == nil {
		value := p.Value(found.selected)
		switch {
		case found.optimal && value >= greedy.Objective*(1-tolerance):
			best = auction.Assignment{Selected: found.selected, Objective: value, Bound: value, Status: auction.StatusOptimal}
		case value > greedy.Objective:
			best = auction.Assignment{Selected: found.selected, Objective: value, Bound: best.Bound, Status: auction.StatusTimeLimit}
		}
	}
	best.Bound = math.Max(best.Bound, best.Objective)
	return best
}
