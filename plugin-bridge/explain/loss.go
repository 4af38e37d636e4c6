package explain

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// resource is something of which a job takes an amount from each of its nodes.
type resource struct {
	name string
	free func(machine.Node) int
	take func(a machine.Allocation, at int) int
}

func resources() []resource {
	return []resource{
		{"cores", func(n machine.Node) int { return n.FreeCores }, func(a machine.Allocation, at int) int { return a.Cores[at] }},
		{"gpus", func(n machine.Node) int { return n.FreeGPUs }, func(a machine.Allocation, _ int) int { return a.GPUs }},
		{"memory", func(n machine.Node) int { return n.FreeMemory }, machine.Allocation.Memory},
	}
}

// shortages returns what a bid lacks beside the winners, of which none is its own
// job's: on the nodes of the snapshot, and on those that reservations keep for
// other jobs.
func shortages(s auction.Snapshot, reservations []*auction.Reservation, winners []bidding.Bid, b bidding.Bid) []Shortage {
	all := make(map[int]machine.Node, len(b.Nodes))
	for _, n := range b.Nodes {
		all[n] = s.Nodes[n]
	}
	short := nodeShortages(s.Jobs, all, winners, b)
	short = append(short, licenceShortages(s, winners, b)...)
	now := len(short)
	for _, r := range reservations {
		// A job whose reservation begins at once is one of the winners that are named already.
		if r.Limits(s, b) && (r.At > 0 || now == 0) {
			short = append(short, keptShortages(s, r, winners, b)...)
		}
	}
	return short
}

// keptShortages returns what a bid lacks of what a reservation leaves of its nodes.
func keptShortages(s auction.Snapshot, r *auction.Reservation, winners []bidding.Bid, b bidding.Bid) []Shortage {
	kept := make(map[int]machine.Node, len(r.Left))
	for i, n := range r.Bid.Nodes {
		kept[n] = r.Left[i]
	}
	limited := slices.DeleteFunc(slices.Clone(winners), func(w bidding.Bid) bool { return !r.Limits(s, w) })
	short := nodeShortages(s.Jobs, kept, limited, b)
	for i := range short {
		short[i].ReservedFor, short[i].ReservedAt = s.Jobs[r.Bid.Job].ID, (s.Now + r.At).Seconds()
	}
	return short
}

// nodeShortages returns what a bid lacks of the given nodes, by index, which are
// free but for what the winners take.
func nodeShortages(jobs []bidding.Job, nodes map[int]machine.Node, winners []bidding.Bid, b bidding.Bid) []Shortage {
	var all []Shortage
	for _, r := range resources() {
		if short := r.shortage(jobs, nodes, winners, b); short.Nodes > 0 {
			all = append(all, short)
		}
	}
	return all
}

func (r resource) shortage(jobs []bidding.Job, nodes map[int]machine.Node, winners []bidding.Bid, b bidding.Bid) Shortage {
	taken := make(map[int]int, len(b.Nodes))
	for _, n := range b.Nodes {
		taken[n] = 0
	}
	for _, w := range winners {
		for at, n := range w.Nodes {
			if _, own := taken[n]; own {
				taken[n] += r.take(w.Allocation, at)
			}
		}
	}
	short := Shortage{Resource: r.name}
	var names []string
	lacking := make(map[int]bool)
	for at, n := range b.Nodes {
		node, counted := nodes[n]
		wanted, free := r.take(b.Allocation, at), r.free(node)
		if !counted || wanted <= free-taken[n] {
			continue
		}
		lacking[n] = true
		names = append(names, node.Name)
		short.Nodes++
		short.Wanted += wanted
		short.Free += free
		short.Left += free - taken[n]
	}
	short.Where = values.CompressHosts(names)
	for _, w := range winners {
		amount := 0
		for at, n := range w.Nodes {
			if lacking[n] {
				amount += r.take(w.Allocation, at)
			}
		}
		short.add(jobs[w.Job].ID, amount)
	}
	short.sort()
	return short
}

func licenceShortages(s auction.Snapshot, winners []bidding.Bid, b bidding.Bid) []Shortage {
	var all []Shortage
	for _, l := range s.Jobs[b.Job].Options.Licences {
		free := s.Licences.Count(l.Name)
		short := Shortage{Resource: "licences", Where: l.Name, Wanted: l.Count, Free: free, Left: free}
		for _, w := range winners {
			amount := s.Jobs[w.Job].Options.Licences.Count(l.Name)
			short.Left -= amount
			short.add(s.Jobs[w.Job].ID, amount)
		}
		short.sort()
		if short.Left < short.Wanted {
			all = append(all, short)
		}
	}
	return all
}

func (s *Shortage) add(job, amount int) {
	if amount > 0 {
		s.Takers = append(s.Takers, Taker{job, amount})
	}
}

// sort puts who took most first.
func (s *Shortage) sort() {
	slices.SortStableFunc(s.Takers, func(a, b Taker) int { return b.Amount - a.Amount })
}
