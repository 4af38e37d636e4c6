package auction

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Phases are the durations of the parts of an auction.
type Phases struct {
	// Bids is the time for making the bids of all classes, Solve that for
	// formulating and solving both programs, Order that for the release order.
	Bids, Solve, Order time.Duration
}

// Result is what an auction decided, and the numbers that describe it.
type Result struct {
	// Ordered are the winners, to be started in exactly this order.
	Ordered []bidding.Bid
	// Deferred are winners that are left for a later auction, since Slurm would
	// give them other cores than planned.
	Deferred []Deferral
	// Bids are all columns of the final program, Dropped is the number of further
	// candidates that the limits on bids left out.
	Bids    []bidding.Bid
	Dropped int
	// Problem is the final program, Assignment its solution.
	Problem    Problem
	Assignment Assignment
	// Reservation of the first overdue job, nil without one.
	Reservation *Reservation
	// Whole are those of exclusive jobs beside it.
	Whole []*Reservation
	// Size is the size of the final program.
	Size Size
	// Rearranged counts the winners that take other cores than the solver chose, but
	// of the same worth: under the papers' policies, and 0 without Options.Arrange.
	Rearranged int
	// RigidStatus is the status of the first round, which places the jobs of
	// types 2 and 3 alone; empty if no round was needed.
	RigidStatus program.Status
	Phases      Phases
}

// Reservations are Reservation, if there is one, and Whole.
func (r Result) Reservations() []*Reservation {
	if r.Reservation == nil {
		return r.Whole
	}
	return append([]*Reservation{r.Reservation}, r.Whole...)
}

// Size tells how large a program is.
type Size struct{ Bids, Rows, Columns, NonZeros int }

// Auction runs one cycle. It makes the bids of class A, B and C and the [Reservation]. With both rigid jobs (types 2
// and 3) and jobs of type 1, it first solves a program of the rigid jobs' bids alone, and lets the others make bids
// of class R on what the winners leave. Then it solves the program of all bids, and finds the order of release.
//
// The solver runs at most twice. Auction fails if the snapshot is invalid, the
// solver fails, or the solver's selection is infeasible.
func Auction(ctx context.Context, s Snapshot, o Options, solver Solver) (Result, error) {
	if err := s.Validate(); err != nil {
		return Result{}, fmt.Errorf("check snapshot: %w", err)
	}
	var r Result
	var rigidCause string
	lap := stopwatch(o.Clock)

	generator := s.Generator(o.Bids)
	bids, dropped := s.bids(generator, o.Bids)
	r.Dropped = dropped.Total()
	s.Reservation = o.reserve(s)
	s.Whole = o.reserveWhole(s, s.Reservation)
	r.Reservation, r.Whole = s.Reservation, s.Whole
	for _, kept := range r.Reservations() {
		bids = kept.join(bids)
	}
	r.Phases.Bids += lap()

	rigid := slices.DeleteFunc(slices.Clone(bids), func(b bidding.Bid) bool { return s.Jobs[b.Job].With(b.Alternative).Type() == bidding.Type1 })
	if len(rigid) > 0 && o.Bids.Remainders && slices.ContainsFunc(s.Jobs, func(j bidding.Job) bool { return j.Type() == bidding.Type1 }) {
		_, a, err := o.solve(ctx, s, rigid, solver)
		if err != nil {
			return Result{}, fmt.Errorf("solve rigid jobs: %w", err)
		}
		rigid = pick(rigid, a.Selected)
		r.RigidStatus, rigidCause = a.Status, a.Cause
	} else {
		rigid = nil
	}
	r.Phases.Solve += lap()

	r.Bids = append(bids, generator.Remainders(bids, rigid)...)
	slices.SortStableFunc(r.Bids, func(a, b bidding.Bid) int { return a.Job - b.Job })
	r.Phases.Bids += lap()

	var err error
	r.Problem, r.Assignment, err = o.solve(ctx, s, r.Bids, solver)
	if err != nil {
		return Result{}, fmt.Errorf("solve auction: %w", err)
	}
	r.Assignment.Cause = bothCauses(rigidCause, r.Assignment.Cause)
	r.Size = Size{len(r.Bids), len(r.Problem.Rows), len(r.Problem.Objective), r.Problem.NonZeros()}
	r.Phases.Solve += lap()

	winners := pick(r.Bids, r.Assignment.Selected)
	if o.Arrange == nil {
		r.Ordered, r.Deferred = Order(s, winners)
	} else {
		found := o.Arrange(s, winners)
		r.Ordered, r.Deferred, r.Rearranged = found.Ordered, found.Deferred, found.Rearranged
	}
	r.Phases.Order += lap()
	return r, nil
}

// solve formulates a program and solves it. It checks the solution in whole numbers,
// since solvers allow themselves small tolerances.
func (o Options) solve(ctx context.Context, s Snapshot, bids []bidding.Bid, solver Solver) (Problem, Assignment, error) {
	p := o.formulate(s, bids)
	a, err := solver.Solve(ctx, p)
	if err != nil {
		return p, a, err
	}
	a = s.Reservation.insist(p, bids, a)
	for _, r := range s.Whole {
		a = r.insist(p, bids, a)
	}
	if o.Bids.FewestNodes {
		a = onFewer(p, bids, a)
	}
	return p, a, p.Check(a.Selected)
}

// bothCauses is why the solver failed in the round of the rigid jobs, in the final one,
// or in both.
func bothCauses(rigid, final string) string {
	if rigid == "" {
		return final
	}
	if rigid = "round of the rigid jobs: " + rigid; final == "" {
		return rigid
	}
	return rigid + "; " + final
}

func pick(bids []bidding.Bid, selected []int) []bidding.Bid {
	picked := make([]bidding.Bid, 0, len(selected))
	for _, i := range selected {
		picked = append(picked, bids[i])
	}
	return picked
}

// stopwatch returns a function that returns the time since its last call.
// Without a clock that is 0.
func stopwatch(clock func() time.Duration) func() time.Duration {
	if clock == nil {
		clock = func() time.Duration { return 0 }
	}
	last := clock()
	return func() time.Duration {
		now := clock()
		d := now - last
		last = now
		return d
	}
}
