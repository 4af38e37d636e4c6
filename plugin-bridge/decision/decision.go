package decision

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/formulation"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/plugin-bridge/program"
	"github.com/slurmlab/slurmlab/plugin-bridge/realise"
)

// Solve solves a program within a limit of real time. Running out of time is a
// status, with or without a point.
type Solve func(ctx context.Context, p program.Program, limit time.Duration) (program.Solution, error)

// Options are the parameters of a Policy.
type Options struct {
	Solve Solve
	// Limit bounds all solutions of one decision together, in real time.
	Limit time.Duration
	// Bids say how jobs bid in AUCSCHED; MaxBids comes with each decision.
	Bids auction.Options
	// Objective is IPSCHED's.
	Objective formulation.Objective
	// Clock reads a monotonic clock; nil stands still.
	Clock func() time.Duration
}

// Policy decides by one of the two programs. It is not safe for concurrent use.
type Policy struct {
	options Options
	method  method
	last    program.Program
}

// method is what the two programs have of their own.
type method interface {
	// formulate writes the program. bids are its bids, if it has any, and cut
	// counts those that a limit left out.
	formulate(s auction.Snapshot, maxBids int) (m formulation.Model, bids []auction.Bid, cut int)
	// realise turns the allocations of a solution into bids.
	realise(s auction.Snapshot, bids []auction.Bid, all []formulation.Allocation) realise.Result
	// anytime says that a solution without proof is used.
	anytime() bool
	// obstacle is why the program cannot express a job, or "".
	obstacle(j auction.Job, nodes []nodeset.Node) string
}

func newPolicy(o Options, m method) *Policy {
	if o.Clock == nil {
		o.Clock = func() time.Duration { return 0 }
	}
	return &Policy{options: o, method: m}
}

// Program is the first program of the last decision.
func (p *Policy) Program() program.Program { return p.last }

// Obstacle is why the policy cannot schedule a job on a machine, or "".
func (p *Policy) Obstacle(j auction.Job, nodes []nodeset.Node) string {
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

// Decide chooses the jobs of the window that start now. It fails if the snapshot
// is invalid, the solver fails, or its point is not feasible. The size, status and
// objective of the result are those of the first program; it has no bound, and so
// no gap, if a later one is not proven.
func (p *Policy) Decide(ctx context.Context, s auction.Snapshot, maxBids int) (auction.Result, error) {
	if err := s.Validate(); err != nil {
		return auction.Result{}, fmt.Errorf("check snapshot: %w", err)
	}
	began := p.options.Clock()
	var r auction.Result
	window := plain(s)
	for round := 0; ; round++ {
		left := p.options.Limit - (p.options.Clock() - began)
		// The rest of the time must be worth a try.
		if round > 0 && left < p.options.Limit/10 {
			r.Assignment.Bound = math.Inf(1)
			return r, nil
		}
		part, err := p.round(ctx, window.Snapshot, maxBids, left)
		if err != nil {
			return auction.Result{}, err
		}
		if round == 0 {
			p.last, r.Size, r.Cut, r.Assignment = part.program, part.size, part.cut, part.assignment
		} else if part.assignment.Status != auction.StatusOptimal {
			r.Assignment.Bound = math.Inf(1)
		}
		r.Phases.Bids += part.phases.Bids
		r.Phases.Solve += part.phases.Solve
		r.Phases.Order += part.phases.Order
		r.Rearranged += part.realised.Rearranged
		r.Ordered = append(r.Ordered, window.original(part.realised.Ordered)...)
		for _, d := range part.realised.Deferred {
			d.Bid = window.original([]auction.Bid{d.Bid})[0]
			r.Deferred = append(r.Deferred, d)
		}
		window = window.without(part.realised)
		if len(part.realised.Deferred) == 0 || len(window.Jobs) == 0 {
			return r, nil
		}
	}
}

// part is the outcome of one program.
type part struct {
	program    program.Program
	size       auction.Size
	cut        int
	assignment auction.Assignment
	realised   realise.Result
	phases     auction.Phases
}

// round writes, solves and realises one program.
func (p *Policy) round(ctx context.Context, s auction.Snapshot, maxBids int, limit time.Duration) (part, error) {
	began := p.options.Clock()
	m, bids, cut := p.method.formulate(s, maxBids)
	r := part{program: m.Program, cut: cut, assignment: auction.Assignment{Status: auction.StatusOptimal}}
	r.size = auction.Size{Bids: len(bids), Rows: len(m.Program.Rows), Columns: len(m.Program.Variables), NonZeros: m.Program.NonZeros()}
	formulated := p.options.Clock()
	r.phases.Bids = formulated - began
	if r.size.Columns == 0 {
		return r, nil
	}
	found, err := p.options.Solve(ctx, m.Program, limit-r.phases.Bids)
	if err != nil {
		return r, fmt.Errorf("solve: %w", err)
	}
	solved := p.options.Clock()
	r.phases.Solve = solved - formulated
	switch found.Status {
	case program.StatusOptimal:
	case program.StatusTimeLimit:
		r.assignment.Status = auction.StatusTimeLimit
	case program.StatusAbandoned:
		r.assignment.Status = auction.StatusAbandoned
	default:
		return r, fmt.Errorf("solve: the program is %s, but starting nothing solves it", found.Status)
	}
	r.assignment.Objective, r.assignment.Bound = found.Objective, found.Bound
	if found.Values == nil || r.assignment.Status != auction.StatusOptimal && !p.method.anytime() {
		r.assignment.Objective = 0
		return r, nil
	}
	all, err := m.Decode(found.Values)
	if err != nil {
		return r, err
	}
	r.realised = p.method.realise(s, bids, all)
	r.phases.Order = p.options.Clock() - solved
	return r, nil
}

// window is a snapshot of some jobs of another one.
type window struct {
	auction.Snapshot
	// of are the indices of the jobs in the other snapshot.
	of []int
}

// plain returns the window of all jobs with their first requests and the fewest
// GPUs.
func plain(s auction.Snapshot) window {
	w := window{Snapshot: s}
	w.Jobs = nil
	for i, j := range s.Jobs {
		j = j.With(0)
		j.MaxGPUs = 0
		w.Jobs, w.of = append(w.Jobs, j), append(w.of, i)
	}
	return w
}

// original returns the bids as bids of the other snapshot.
func (w window) original(bids []auction.Bid) []auction.Bid {
	all := slices.Clone(bids)
	for i := range all {
		all[i].Job = w.of[all[i].Job]
	}
	return all
}

// without returns the window of the jobs that are neither started nor deferred,
// on what the started ones leave. The cores of those that are sure to start leave
// the machine, as they cannot become free before the others start.
func (w window) without(r realise.Result) window {
	next := window{Snapshot: auction.Snapshot{Nodes: slices.Clone(w.Nodes)}}
	gone := make(map[int]bool, len(r.Ordered)+len(r.Deferred))
	for _, b := range r.Ordered {
		gone[b.Job] = true
		for i, n := range b.Nodes {
			next.Nodes[n].FreeCores -= b.Cores[i]
			next.Nodes[n].FreeGPUs -= b.GPUs
			if b.Class != auction.ClassR {
				next.Nodes[n].Cores -= b.Cores[i]
			}
		}
	}
	for _, d := range r.Deferred {
		gone[d.Bid.Job] = true
	}
	for i, j := range w.Jobs {
		if !gone[i] {
			next.Jobs, next.of = append(next.Jobs, j), append(next.of, w.of[i])
		}
	}
	return next
}
