package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
)

// Solve solves a program within a limit of real time, from a feasible point if start is
// not nil. A solver that runs out of time does not fail: it returns a solution with that
// status, with the values of the best point that it has.
type Solve func(ctx context.Context, p program.Program, start []float64, limit time.Duration) (program.Solution, error)

// Select selects bids of AUCSCHED2's program in a moment, and need not prove anything.
type Select func(ctx context.Context, p auction.Problem) auction.Assignment

// DeciderOptions are the parameters of a Decider.
type DeciderOptions struct {
	Solve Solve
	// Pack, if not nil, solves what stands for a program first: a knapsack for IPSCHED's, a packing program of the bids for
	// AUCSCHED's. Solve gets the programs that are not proven so.
	Pack auction.Solver
	// Quick, if not nil, helps Pack with the packing program.
	Quick Select
	// Keep has Program even where no program was needed.
	Keep bool
	// Start gives AUCSCHED's solver a point to begin with; with nil it has none.
	Start Select
	// StartLate has IPSCHED start the jobs of a solution that was not proven within the
	// limit. The paper starts nothing then.
	StartLate bool
	// Limit bounds all solutions of one decision together, in real time.
	Limit time.Duration
	// Bids say how jobs bid in AUCSCHED. MaxBids is given with each decision.
	Bids bidding.BidOptions
	// Objective is what IPSCHED maximises; AUCSCHED does not look at it.
	Objective Objective
	// Clock reads a monotonic clock. With nil no time ever passes.
	Clock func() time.Duration
}

// Decider decides by IPSCHED's or AUCSCHED's program. It is not safe for concurrent
// use.
type Decider struct {
	options DeciderOptions
	method  method
	last    program.Program
}

// method is what differs between the policies of IPSCHED and AUCSCHED.
type method interface {
	// bid makes the bids that the program chooses from, if it chooses from bids, and counts those that a limit left out.
	bid(s auction.Snapshot, maxBids int) (bids []bidding.Bid, dropped int)
	// formulate writes the program.
	formulate(s auction.Snapshot, bids []bidding.Bid) model
	// direct looks for a solution without the program.
	direct(ctx context.Context, s auction.Snapshot, bids []bidding.Bid, o DeciderOptions) (direct, error)
	// start is a feasible point of the program, or nil. found is what direct found.
	start(ctx context.Context, s auction.Snapshot, bids []bidding.Bid, m model, found direct) []float64
	// realise turns the allocations of a solution into bids.
	realise(s auction.Snapshot, bids []bidding.Bid, all []chosenCores) realised
	// anytime says that the decider uses a solution that is not proven to be optimal.
	anytime() bool
	// choices are what the program chooses among.
	choices() bidding.Choices
	// obstacle says why the program cannot express a job, or "".
	obstacle(j bidding.Job, nodes []machine.Node) string
}

// direct is what was found without a program: allocations that are a point of it.
type direct struct {
	all []chosenCores
	// selected are the bids of the allocations, where there are bids.
	selected []int
	// size is of what was solved in place of the program, proven says that the point is an optimum of the program.
	size   auction.Size
	proven bool
}

func newDecider(o DeciderOptions, m method) *Decider {
	if o.Clock == nil {
		o.Clock = func() time.Duration { return 0 }
	}
	return &Decider{options: o, method: m}
}

// Program is the first program of the last decision.
func (p *Decider) Program() program.Program { return p.last }

// Choices are the parts of a job's request among which the paper's program chooses.
func (p *Decider) Choices() bidding.Choices { return p.method.choices() }

// Obstacle says why the decider cannot schedule a job on a machine, or "".
func (p *Decider) Obstacle(j bidding.Job, nodes []machine.Node) string {
	switch o := j.Options; {
	case o.Exclusive:
		return "it wants its nodes for itself, which the paper's program has no row for"
	case o.MemoryPerNode+o.MemoryPerCore > 0:
		return "it asks for memory, which the paper's program has no row for"
	case len(o.Licences) > 0:
		return "it asks for licences, which the paper's program has no row for"
	}
	return p.method.obstacle(j, nodes)
}

// Decide chooses the jobs of the window that start now. It fails if the snapshot is invalid, the solver fails, or its
// solution is not feasible. The result has the size, status and objective of the first program. If a later program of
// the decision was not solved to optimality, the result has an infinite bound, and no gap.
func (p *Decider) Decide(ctx context.Context, s auction.Snapshot, maxBids int) (auction.Result, error) {
	if err := s.Validate(); err != nil {
		return auction.Result{}, fmt.Errorf("check snapshot: %w", err)
	}
	began := p.options.Clock()
	var r auction.Result
	window := plain(s, p.method.choices())
	for round := 0; ; round++ {
		left := p.options.Limit - (p.options.Clock() - began)
		// A tenth of the limit is too little time for another program.
		if round > 0 && left < p.options.Limit/10 {
			r.Assignment.Bound = math.Inf(1)
			return r, nil
		}
		part, err := p.round(ctx, window.Snapshot, maxBids, left)
		if err != nil {
			return auction.Result{}, err
		}
		if round == 0 {
			p.last, r.Size, r.Dropped, r.Assignment = part.program, part.size, part.dropped, part.assignment
		} else if part.assignment.Status != program.StatusOptimal {
			r.Assignment.Bound = math.Inf(1)
		}
		r.Phases.Bids += part.phases.Bids
		r.Phases.Solve += part.phases.Solve
		r.Phases.Order += part.phases.Order
		r.Rearranged += part.realised.rearranged
		r.Ordered = append(r.Ordered, window.original(part.realised.ordered)...)
		for _, d := range part.realised.deferred {
			d.Bid = window.original([]bidding.Bid{d.Bid})[0]
			r.Deferred = append(r.Deferred, d)
		}
		window = window.without(part.realised)
		if len(part.realised.deferred) == 0 || len(window.Jobs) == 0 {
			return r, nil
		}
	}
}

// part is the outcome of one program of a decision.
type part struct {
	program    program.Program
	size       auction.Size
	dropped    int
	assignment auction.Assignment
	realised   realised
	phases     auction.Phases
}

// round writes and solves one program, and realises what it chose.
func (p *Decider) round(ctx context.Context, s auction.Snapshot, maxBids int, limit time.Duration) (part, error) {
	began := p.options.Clock()
	bids, dropped := p.method.bid(s, maxBids)
	r := part{dropped: dropped, assignment: auction.Assignment{Status: program.StatusOptimal}}
	made := p.options.Clock()
	r.phases.Bids = made - began
	known, err := p.direct(ctx, s, bids, limit-(made-began))
	if err != nil {
		return r, fmt.Errorf("solve: %w", err)
	}
	if known.proven {
		r.phases.Solve = p.options.Clock() - made
		r.size = known.size
		if p.options.Keep {
			r.program = p.method.formulate(s, bids).Program
		}
		return r, p.realise(s, bids, known.all, &r)
	}
	formulating := p.options.Clock()
	m := p.method.formulate(s, bids)
	r.program = m.Program
	r.size = auction.Size{Bids: len(bids), Rows: len(m.Program.Rows), Columns: len(m.Program.Variables), NonZeros: m.Program.NonZeros()}
	r.phases.Bids += p.options.Clock() - formulating
	// On a full machine most decisions of IPSCHED start no job, and its program still has two variables for each node and job.
	if r.size.Columns == 0 || m.startsNone {
		return r, nil
	}
	start := p.method.start(ctx, s, bids, m, known)
	found, err := p.solve(ctx, m, start, limit-(p.options.Clock()-began))
	if err != nil {
		return r, fmt.Errorf("solve: %w", err)
	}
	solved := p.options.Clock()
	r.phases.Solve = solved - began - r.phases.Bids
	switch r.assignment.Status, r.assignment.Cause = found.Status, found.Cause; found.Status {
	case program.StatusInfeasible, program.StatusUnbounded:
		return r, fmt.Errorf("solve: the program is %s, but starting nothing solves it", found.Status)
	}
	r.assignment.Objective, r.assignment.Bound = found.Objective, found.Bound
	if found.Values == nil || r.assignment.Status != program.StatusOptimal && !p.method.anytime() {
		r.assignment.Objective = 0
		return r, nil
	}
	all, err := m.decode(found.Values)
	if err != nil {
		return r, err
	}
	r.realised = p.method.realise(s, bids, all)
	r.phases.Order = p.options.Clock() - solved
	return r, nil
}

// direct looks for a solution without the program, within half the limit: the other half is for the program.
func (p *Decider) direct(ctx context.Context, s auction.Snapshot, bids []bidding.Bid, limit time.Duration) (direct, error) {
	if p.options.Pack == nil {
		return direct{}, nil
	}
	within, cancel := context.WithTimeout(ctx, limit/2)
	defer cancel()
	found, err := p.method.direct(within, s, bids, p.options)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return direct{}, nil
	}
	return found, err
}

// realise finds requests for a proven solution.
func (p *Decider) realise(s auction.Snapshot, bids []bidding.Bid, all []chosenCores, r *part) error {
	if err := verify(s, nodeRanges(s), all); err != nil {
		return fmt.Errorf("check solution: %w", err)
	}
	for _, a := range all {
		r.assignment.Objective += a.Value
	}
	r.assignment.Bound = r.assignment.Objective
	began := p.options.Clock()
	r.realised = p.method.realise(s, bids, all)
	r.phases.Order = p.options.Clock() - began
	return nil
}

// partSnapshot is the snapshot of one program: some jobs of the snapshot of the decision.
type partSnapshot struct {
	auction.Snapshot
	// of are the indices of the jobs in the snapshot of the decision.
	of []int
}

// plain returns the window of all jobs as the program gets them.
func plain(s auction.Snapshot, c bidding.Choices) partSnapshot {
	w := partSnapshot{Snapshot: s}
	w.Jobs = nil
	for i, j := range s.Jobs {
		j, _ = c.Narrow(j, s.Nodes)
		w.Jobs, w.of = append(w.Jobs, j), append(w.of, i)
	}
	return w
}

// original returns bids of the window as bids of the snapshot of the decision.
func (w partSnapshot) original(bids []bidding.Bid) []bidding.Bid {
	all := slices.Clone(bids)
	for i := range all {
		all[i].Job = w.of[all[i].Job]
	}
	return all
}

// without returns the window of the jobs that are neither started nor deferred, with the nodes as the started jobs
// leave them. Cores of jobs that are sure to start count no more as cores of their nodes, since they cannot become
// free before the others start. Cores of class R bids count, as these may be held back.
func (w partSnapshot) without(r realised) partSnapshot {
	next := partSnapshot{Snapshot: w.Snapshot}
	next.Nodes, next.Jobs = slices.Clone(w.Nodes), nil
	gone := make(map[int]bool, len(r.ordered)+len(r.deferred))
	for _, b := range r.ordered {
		gone[b.Job] = true
		machine.Take(next.Nodes, b.Allocation)
		if b.Class != bidding.ClassR {
			for i, n := range b.Nodes {
				next.Nodes[n].Cores -= b.Cores[i]
			}
		}
	}
	for _, d := range r.deferred {
		gone[d.Bid.Job] = true
	}
	for i, j := range w.Jobs {
		if !gone[i] {
			next.Jobs, next.of = append(next.Jobs, j), append(next.of, w.of[i])
		}
	}
	return next
}
