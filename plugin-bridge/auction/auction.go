package auction

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Options are the parameters of an auction. The zero value is usable.
type Options struct {
	// MaxBidsPerJob is the paper's MAXBIDSPERJOB, MaxBids the limit over all
	// jobs; 0 means DefaultMaxBidsPerJob and DefaultMaxBids. Class R bids, at
	// most one per job, come on top.
	MaxBidsPerJob int
	MaxBids       int
	// Objective is what is maximised; empty means ObjectivePriority.
	Objective Objective
	// UnstableRemainders lets class R bids use nodes on which a job runs. A
	// job that ends between snapshot and start then changes their layout.
	UnstableRemainders bool
	// NoSlurmBids leaves out the bids of the order of the queue (AUCSCHED Table 8:
	// "excluding SLURM bids"), NoRemainders those of class R, which no paper has.
	// OnlyBlocks makes every job bid as if it had asked for one block: "only type
	// A and B (i.e. contiguous block) bids are created" (AUCSCHED section 6.2).
	NoSlurmBids, NoRemainders, OnlyBlocks bool
	// Clock reads a monotonic clock for Result.Phases; nil leaves them 0.
	Clock func() time.Duration `json:"-"`
}

func (o Options) withDefaults() Options {
	if o.MaxBidsPerJob <= 0 {
		o.MaxBidsPerJob = DefaultMaxBidsPerJob
	}
	if o.MaxBids <= 0 {
		o.MaxBids = DefaultMaxBids
	}
	if o.Clock == nil {
		o.Clock = func() time.Duration { return 0 }
	}
	return o
}

// restrict returns the snapshot as the options let the jobs bid.
func (o Options) restrict(s Snapshot) Snapshot {
	if o.OnlyBlocks {
		s.Jobs = slices.Clone(s.Jobs)
		for i := range s.Jobs {
			s.Jobs[i].Contiguous = true
		}
	}
	return s
}

// Phases are the durations of the parts of an auction.
type Phases struct {
	// Bids is the time for bids of all classes, Solve that for formulating
	// and solving both programs, Order that for the release order.
	Bids, Solve, Order time.Duration
}

// Result is what an auction decided, and the numbers that describe it.
type Result struct {
	// Ordered are the winners, to be started in exactly this order.
	Ordered []Bid
	// Deferred are winners that no order would give their planned cores.
	Deferred []Deferral
	// Bids are all columns of the final program, Cut the number of candidates
	// that the limits left out.
	Bids []Bid
	Cut  int
	// Problem is the final program, Assignment its solution.
	Problem    Problem
	Assignment Assignment
	// Reservation is that of the first overdue job, nil without one.
	Reservation *Reservation
	// Size is that of the program.
	Size Size
	// Rearranged counts the winners that take other cores than the solution, of
	// the same worth; always 0 in an auction of this package.
	Rearranged int
	// RigidStatus is the status of the first round, which places the jobs of
	// types 2 and 3 alone; empty if no round was needed.
	RigidStatus Status
	Phases      Phases
}

// Size tells how large a program is.
type Size struct{ Bids, Rows, Columns, NonZeros int }

// Auction runs one cycle: the [Reservation] of the first overdue job; bids of class
// A, B and C; a first round among the
// rigid jobs if there are jobs of both kinds; class R bids on what that leaves;
// the full program; the release order.
//
// The solver runs at most twice. Auction fails if the snapshot is invalid, the
// solver fails, or the solver's selection is infeasible.
func Auction(ctx context.Context, s Snapshot, o Options, solver Solver) (Result, error) {
	o = o.withDefaults()
	if err := s.Validate(); err != nil {
		return Result{}, fmt.Errorf("check snapshot: %w", err)
	}
	var r Result
	lap := stopwatch(o.Clock)

	bids, cut := Generate(s, o)
	r.Cut = cut
	s.Reservation = reserve(s)
	r.Reservation = s.Reservation
	bids = s.Reservation.join(bids)
	r.Phases.Bids += lap()

	rigid := slices.DeleteFunc(slices.Clone(bids), func(b Bid) bool { return s.Jobs[b.Job].With(b.Alternative).Type() == Type1 })
	if len(rigid) > 0 && !o.NoRemainders && slices.ContainsFunc(s.Jobs, func(j Job) bool { return j.Type() == Type1 }) {
		_, a, err := solve(ctx, s, rigid, o.Objective, solver)
		if err != nil {
			return Result{}, fmt.Errorf("solve rigid jobs: %w", err)
		}
		rigid = pick(rigid, a.Selected)
		r.RigidStatus = a.Status
	} else {
		rigid = nil
	}
	r.Phases.Solve += lap()

	r.Bids = bids
	if !o.NoRemainders {
		r.Bids = append(r.Bids, Remainders(s, bids, rigid, o)...)
	}
	slices.SortStableFunc(r.Bids, func(a, b Bid) int { return a.Job - b.Job })
	r.Phases.Bids += lap()

	var err error
	r.Problem, r.Assignment, err = solve(ctx, s, r.Bids, o.Objective, solver)
	if err != nil {
		return Result{}, fmt.Errorf("solve auction: %w", err)
	}
	r.Size = Size{len(r.Bids), len(r.Problem.Rows), len(r.Problem.Objective), r.Problem.NonZeros()}
	r.Phases.Solve += lap()

	r.Ordered, r.Deferred = Order(s, pick(r.Bids, r.Assignment.Selected))
	r.Phases.Order += lap()
	return r, nil
}

// solve formulates and solves, and does not trust the solver's tolerances.
func solve(ctx context.Context, s Snapshot, bids []Bid, o Objective, solver Solver) (Problem, Assignment, error) {
	p := Formulate(s, bids, o)
	a, err := solver.Solve(ctx, p)
	if err != nil {
		return p, a, err
	}
	a = s.Reservation.insist(p, bids, a)
	return p, a, p.Check(a.Selected)
}

func pick(bids []Bid, selected []int) []Bid {
	picked := make([]Bid, 0, len(selected))
	for _, i := range selected {
		picked = append(picked, bids[i])
	}
	return picked
}

// stopwatch returns a function that returns the time since its last call.
func stopwatch(clock func() time.Duration) func() time.Duration {
	last := clock()
	return func() time.Duration {
		now := clock()
		d := now - last
		last = now
		return d
	}
}
