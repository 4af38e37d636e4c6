package auction

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
)

// Reservation keeps nodes for the first overdue job of a window, or for the one with the strongest claim. Bid can start in
// the time At from now, when running jobs have reached their time limits; an At of 0
// means at once.
type Reservation struct {
	Bid bidding.Bid
	At  time.Duration
	// Left are the nodes of the bid with what is free of them then, beside the bid.
	Left []machine.Node
	// OnlySharing says that bids for whole nodes need not leave the job anything: an exclusive job's, which is not
	// late.
	OnlySharing bool
}

// reserve returns the earliest reservation of the first overdue job. Without an overdue job it is for the job with
// the strongest [claim], if that job may have it. It returns nil if there is no such job, or if the job fits nowhere
// even when all running jobs have ended, as when nodes are down. Licences are not reserved.
//
// The reservation of an overdue job does not move into the future, and so the job starts at last. [Formulate] writes
// constraints that keep other bids which may run until after At off what the job needs. So the next auction finds the
// same reservation again or an earlier one.
func (o Options) reserve(s Snapshot) *Reservation {
	if j := slices.IndexFunc(s.Jobs, func(j bidding.Job) bool { return j.Overdue }); j >= 0 {
		return s.earliest(j, nil)
	}
	r, early := s.claimed(o.claims(s))
	if early > 0 {
		return nil
	}
	return r
}

// earliest returns the earliest reservation of a job, nil if it has none, beside other reservations: on none of their nodes.
func (s Snapshot) earliest(j int, others []*Reservation) *Reservation {
	s.Nodes = slices.Clone(s.Nodes)
	for _, o := range others {
		if o == nil {
			continue
		}
		for _, n := range o.Bid.Nodes {
			s.Nodes[n].Cores, s.Nodes[n].FreeCores = 0, 0
		}
	}
	running := slices.Clone(s.Running)
	slices.SortStableFunc(running, func(a, b machine.Holding) int { return cmp.Compare(a.End, b.End) })
	// The more jobs have ended, the more is free. If the job fits after some ends, it fits after further ones.
	ends := sort.Search(len(running)+1, func(ends int) bool {
		_, fits := bidding.Alone(s.after(running[:ends]), s.Jobs[j])
		return fits
	})
	if ends > len(running) {
		return nil
	}
	nodes := s.after(running[:ends])
	var r Reservation
	r.Bid, _ = bidding.Alone(nodes, s.Jobs[j])
	r.Bid.Job = j
	if ends > 0 {
		// A job may be past its limit for some seconds.
		r.At = max(time.Second, running[ends-1].End-s.Now)
	}
	machine.Take(nodes, r.Bid.Allocation)
	for _, n := range r.Bid.Nodes {
		left := nodes[n]
		if r.Bid.TasksPerNode == 0 {
			// The cores that the placement rule gives the job depend on what else
			// is free on its nodes, so that all cores of these are kept.
			left.FreeCores = 0
		}
		r.Left = append(r.Left, left)
	}
	return &r
}

// after returns the nodes as they are when the given jobs have ended.
func (s Snapshot) after(ended []machine.Holding) []machine.Node {
	nodes := slices.Clone(s.Nodes)
	for _, h := range ended {
		machine.Give(nodes, h.Allocation)
	}
	return nodes
}

// Limits reports whether a bid must leave the reserved job what it needs: the bids
// of other jobs must that may still run when it starts.
func (r *Reservation) Limits(s Snapshot, b bidding.Bid) bool {
	if r.OnlySharing && b.Exclusive {
		return false
	}
	limit := s.Jobs[b.Job].TimeLimit
	return b.Job != r.Bid.Job && (limit <= 0 || limit > r.At)
}

// now reports whether the reserved job starts at once, whatever else would be worth more.
func (r *Reservation) now() bool { return r != nil && r.At == 0 && !r.OnlySharing }

// join adds the reserved job's bid to the bids, if it can start at once and is not
// among them.
func (r *Reservation) join(bids []bidding.Bid) []bidding.Bid {
	if !r.now() || slices.ContainsFunc(bids, r.is) {
		return bids
	}
	return append(bids, r.Bid)
}

// is reports whether a bid is the one of the reservation.
func (r *Reservation) is(b bidding.Bid) bool { return b.Job == r.Bid.Job && b.Same(r.Bid) }

// insist adds the bid of the reserved job to a selection without it, if the job can
// start at once. The rows of the reservation have kept room for it, so that only a
// solver that was stopped before its time leaves it out.
func (r *Reservation) insist(p Problem, bids []bidding.Bid, a Assignment) Assignment {
	if !r.now() || slices.ContainsFunc(a.Selected, func(i int) bool { return bids[i].Job == r.Bid.Job }) {
		return a
	}
	own := slices.IndexFunc(bids, r.is)
	if own < 0 {
		return a
	}
	at, _ := slices.BinarySearch(a.Selected, own)
	if selected := slices.Insert(slices.Clone(a.Selected), at, own); p.Check(selected) == nil {
		a.Selected = selected
		a.Objective = p.Value(selected)
	}
	return a
}

// reserved writes the rows of a reservation.
func (f *formulation) reserved(s Snapshot, r *Reservation) {
	if r == nil {
		return
	}
	at := make(map[int]int, len(r.Bid.Nodes))
	for i, n := range r.Bid.Nodes {
		at[n] = i
	}
	cores, gpus, memory := make([]terms, len(at)), make([]terms, len(at)), make([]terms, len(at))
	for c, b := range f.bids {
		if !r.Limits(s, b) {
			continue
		}
		for i, n := range b.Nodes {
			if k, reserved := at[n]; reserved {
				cores[k].add(c, b.Cores[i])
				gpus[k].add(c, b.GPUs)
				memory[k].add(c, b.Memory(i))
			}
		}
	}
	for i, left := range r.Left {
		id := s.Jobs[r.Bid.Job].ID
		f.resource(Constraint{Kind: ReservedCoresRow, Job: id, Of: left.Name, Bound: left.FreeCores}, cores[i])
		f.resource(Constraint{Kind: ReservedGPUsRow, Job: id, Of: left.Name, Bound: left.FreeGPUs}, gpus[i])
		f.resource(Constraint{Kind: ReservedMemoryRow, Job: id, Of: left.Name, Bound: left.FreeMemory}, memory[i])
	}
}
