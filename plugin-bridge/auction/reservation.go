package auction

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
)

// Occupation is what a running job holds, until Remaining from now at the latest.
type Occupation struct {
	Bid       Bid // its Job means nothing
	Remaining time.Duration
}

// Reservation is the place of the first overdue job of a window: Bid can start At
// from now, 0 for at once, when the running jobs have reached their limits.
type Reservation struct {
	Bid Bid
	At  time.Duration
	// Left is what is then left free of each of Bid.Nodes.
	Left []nodeset.Node
}

// reserve returns the earliest place of the first overdue job, nil without such a
// job and if not even the end of all running jobs leaves it a place, as when nodes
// are down. Licences are not reserved.
//
// What keeps a job from being passed over for ever is that its place does not move
// into the future: the rows of [Formulate] keep every bid that may run until after
// At off what the job needs, so that the next auction finds this place again or an
// earlier one.
func reserve(s Snapshot) *Reservation {
	j := slices.IndexFunc(s.Jobs, func(j Job) bool { return j.Overdue })
	if j < 0 {
		return nil
	}
	running := slices.Clone(s.Running)
	slices.SortStableFunc(running, func(a, b Occupation) int { return cmp.Compare(a.Remaining, b.Remaining) })
	// More is free the more jobs have ended.
	ends := sort.Search(len(running)+1, func(ends int) bool {
		_, fits := alone(s.after(running[:ends]), s.Jobs[j])
		return fits
	})
	if ends > len(running) {
		return nil
	}
	nodes := s.after(running[:ends])
	var r Reservation
	r.Bid, _ = alone(nodes, s.Jobs[j])
	r.Bid.Job = j
	if ends > 0 {
		// A job may be past its limit for some seconds.
		r.At = max(time.Second, running[ends-1].Remaining)
	}
	take(nodes, r.Bid)
	for _, n := range r.Bid.Nodes {
		left := nodes[n]
		if r.Bid.TasksPerNode == 0 {
			// The layout depends on what else is free there, see Place.
			left.FreeCores = 0
		}
		r.Left = append(r.Left, left)
	}
	return &r
}

// alone returns the bid of a job that is the only one to bid for the nodes.
func alone(nodes []nodeset.Node, j Job) (Bid, bool) {
	j.Options.Licences = nil
	g := newGenerator(Snapshot{Nodes: nodes, Jobs: []Job{j}})
	found := g.sequential()[0]
	if found == nil {
		return Bid{}, false
	}
	return g.bid(0, found.shape, found.spot)
}

// after returns the nodes as they are when the given jobs have ended.
func (s Snapshot) after(ended []Occupation) []nodeset.Node {
	nodes := slices.Clone(s.Nodes)
	for _, o := range ended {
		for i, at := range o.Bid.Nodes {
			n := &nodes[at]
			n.FreeCores = min(n.Cores, n.FreeCores+o.Bid.Cores[i])
			n.FreeGPUs = min(n.GPUs, n.FreeGPUs+o.Bid.GPUs)
			n.FreeMemory = min(n.Memory, n.FreeMemory+o.Bid.Memory(i))
		}
	}
	return nodes
}

// now reports whether the reserved job can start at once.
func (r *Reservation) now() bool { return r != nil && r.At == 0 }

// join adds the bid of a job that can start at once, if it is not there.
func (r *Reservation) join(bids []Bid) []Bid {
	if !r.now() || slices.ContainsFunc(bids, r.is) {
		return bids
	}
	return append(bids, r.Bid)
}

// is reports whether a bid is that of the reservation.
func (r *Reservation) is(b Bid) bool { return b.Job == r.Bid.Job && b.same(r.Bid) }

// insist adds the reserved job to a selection without it, if it can start at once:
// the rows have left it room, so that only a solver that was cut short leaves it
// out.
func (r *Reservation) insist(p Problem, bids []Bid, a Assignment) Assignment {
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
func (f *formulation) reserved(s Snapshot) {
	r := s.Reservation
	if r == nil {
		return
	}
	at := make(map[int]int, len(r.Bid.Nodes))
	for i, n := range r.Bid.Nodes {
		at[n] = i
	}
	cores, gpus, memory := make([]terms, len(at)), make([]terms, len(at)), make([]terms, len(at))
	for c, b := range f.bids {
		limit := s.Jobs[b.Job].TimeLimit
		if b.Job == r.Bid.Job || limit > 0 && limit <= r.At {
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
		f.resource("(reserved cores)", left.Name, cores[i], left.FreeCores)
		f.resource("(reserved GPUs)", left.Name, gpus[i], left.FreeGPUs)
		f.resource("(reserved memory)", left.Name, memory[i], left.FreeMemory)
	}
}
