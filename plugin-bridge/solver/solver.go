package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
)

// DefaultTimeLimit is the limit of AUCSCHED section 6.2: "For solving the IP
// problem with CPLEX, a time limit of 5 seconds was used."
const DefaultTimeLimit = 5 * time.Second

// errLimit is the cause of the end of a context at our own time limit.
var errLimit = errors.New("time limit")

// Options are the parameters of a Solver.
type Options struct {
	// Start starts a worker, see Command.
	Start func() (Worker, error)
	// TimeLimit bounds one solve in real time; 0 means DefaultTimeLimit. A
	// context's deadline shortens it.
	TimeLimit time.Duration
	// Seed is that of every random choice.
	Seed uint32
	// Quick limits the stages in our own process; the zero value means
	// packing.QuickLimits.
	Quick *packing.Limits
}

// Solver is an auction.Solver with a worker process. It solves one problem at a
// time; other calls wait.
type Solver struct {
	options Options
	// turn holds a token while a call uses the fields below.
	turn   chan struct{}
	link   *link
	number int
}

// New starts the worker and returns the solver, which must be closed.
func New(o Options) (*Solver, error) {
	if o.TimeLimit <= 0 {
		o.TimeLimit = DefaultTimeLimit
	}
	s := &Solver{options: o, turn: make(chan struct{}, 1)}
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

func (s *Solver) connect() error {
	w, err := s.options.Start()
	if err != nil {
		return err
	}
	s.link = connect(w)
	return nil
}

// reserve is the part of the time that the worker is not told of, for the way
// back of its last answer.
func reserve(left time.Duration) time.Duration { return left/50 + 2*time.Millisecond }

// Solve returns within the time limit and the few milliseconds that the last
// checks take, whatever the worker does, an assignment with one of the statuses
//
//   - optimal: proven, within HiGHS's tolerances.
//   - work_limit: the search was through with its work.
//   - time_limit: the search ended at the time limit, or another call had the
//     worker until then.
//   - abandoned: the worker overran the limit and was killed.
//   - worker_lost: the worker died, failed or talked nonsense, or could not be
//     started.
//
// In every case it is the best that was known by then, with its proven bound,
// and a new worker stands in for one that is no more. The error is not nil only
// when the context ended.
func (s *Solver) Solve(ctx context.Context, p auction.Problem) (auction.Assignment, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.options.TimeLimit, errLimit)
	defer cancel()
	best := s.quick(ctx, p)
	if best.Status == auction.StatusOptimal {
		return best, nil
	}
	select {
	case s.turn <- struct{}{}:
		best = s.ask(ctx, p, best)
	case <-ctx.Done():
		best.Status = auction.StatusTimeLimit
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errLimit) {
		return auction.Assignment{}, fmt.Errorf("solve: %w", err)
	}
	return best, nil
}

// quick runs the stages of our own process.
func (s *Solver) quick(ctx context.Context, p auction.Problem) auction.Assignment {
	limits := packing.QuickLimits()
	if s.options.Quick != nil {
		limits = *s.options.Quick
	}
	started := time.Now()
	limits.Seed = uint64(s.options.Seed)
	limits.Clock = func() time.Duration { return time.Since(started) }
	limits.Stop = func() bool { return ctx.Err() != nil }
	return packing.Quick(p, limits)
}

// ask has the worker improve best, and gives the turn back.
func (s *Solver) ask(ctx context.Context, p auction.Problem, best auction.Assignment) auction.Assignment {
	if s.link == nil && s.connect() != nil {
		best.Status = auction.StatusWorkerLost
		<-s.turn
		return best
	}
	deadline, _ := ctx.Deadline()
	left := time.Until(deadline)
	s.number++
	s.link.ask(request{
		Number: s.number, Problem: flatten(p), Start: best.Selected, Bound: best.Bound,
		Limit: left - reserve(left), Seed: uint64(s.options.Seed),
	})
	best, alive := s.listen(ctx, p, best)
	if alive {
		<-s.turn
		return best
	}
	s.link.end()
	s.link = nil
	go func() {
		// The next solve tries again if this fails.
		_ = s.connect()
		<-s.turn
	}()
	return best
}

// listen takes the worker's answers until the last one or the end of ctx. It
// reports whether the worker can take another request.
func (s *Solver) listen(ctx context.Context, p auction.Problem, best auction.Assignment) (auction.Assignment, bool) {
	own := best.Phases
	for {
		select {
		case a, open := <-s.link.answers:
			if !open || a.Number != s.number || !merge(p, &best, a) {
				best.Status = auction.StatusWorkerLost
				return best, false
			}
			best.Phases = append(own[:len(own):len(own)], a.Phases...)
			if a.Final && a.Failure != "" {
				best.Status = auction.StatusWorkerLost
			}
			if a.Final {
				return best, true
			}
		case <-ctx.Done():
			best.Status = auction.StatusAbandoned
			return best, false
		}
	}
}

// merge takes the better parts of an answer. It reports false if the answer
// cannot be true: an infeasible selection, or a bound below a known selection.
func merge(p auction.Problem, best *auction.Assignment, a answer) bool {
	// rounding is the relative error of sums in another order.
	const rounding = 1e-9
	if p.Check(a.Selected) != nil {
		return false
	}
	value := p.Value(a.Selected)
	if !(a.Bound >= max(value, best.Objective)*(1-rounding)) {
		return false
	}
	if value > best.Objective {
		best.Selected, best.Objective = a.Selected, value
	}
	best.Bound = math.Max(best.Objective, math.Min(best.Bound, a.Bound))
	best.Status = a.Status
	return true
}
