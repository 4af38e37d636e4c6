package explain

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/nodeset"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// resource is something of which a bid takes an amount from each of its nodes.
type resource struct {
	name string
	free func(nodeset.Node) int
	take func(b auction.Bid, at int) int
}

func resources() []resource {
	return []resource{
		{"cores", func(n nodeset.Node) int { return n.FreeCores }, func(b auction.Bid, at int) int { return b.Cores[at] }},
		{"gpus", func(n nodeset.Node) int { return n.FreeGPUs }, func(b auction.Bid, _ int) int { return b.GPUs }},
		{"memory", func(n nodeset.Node) int { return n.FreeMemory }, auction.Bid.Memory},
	}
}

// shortages returns what a bid lacks beside the winners, of which none is its own
// job's.
func shortages(s auction.Snapshot, winners []auction.Bid, b auction.Bid) []Shortage {
	var all []Shortage
	for _, r := range resources() {
		if short := r.shortage(s, winners, b); short.Nodes > 0 {
			all = append(all, short)
		}
	}
	return append(all, licenceShortages(s, winners, b)...)
}

func (r resource) shortage(s auction.Snapshot, winners []auction.Bid, b auction.Bid) Shortage {
	taken := make(map[int]int, len(b.Nodes))
	for _, n := range b.Nodes {
		taken[n] = 0
	}
	for _, w := range winners {
		for at, n := range w.Nodes {
			if _, own := taken[n]; own {
				taken[n] += r.take(w, at)
			}
		}
	}
	short := Shortage{Resource: r.name}
	var names []string
	lacking := make(map[int]bool)
	for at, n := range b.Nodes {
		wanted, free := r.take(b, at), r.free(s.Nodes[n])
		if wanted <= free-taken[n] {
			continue
		}
		lacking[n] = true
		names = append(names, s.Nodes[n].Name)
		short.Nodes++
		short.Wanted += wanted
		short.Free += free
		short.Left += free - taken[n]
	}
	short.Where = hostlist.Compress(names)
	for _, w := range winners {
		amount := 0
		for at, n := range w.Nodes {
			if lacking[n] {
				amount += r.take(w, at)
			}
		}
		short.add(s.Jobs[w.Job].ID, amount)
	}
	short.sort()
	return short
}

func licenceShortages(s auction.Snapshot, winners []auction.Bid, b auction.Bid) []Shortage {
	var all []Shortage
	for _, l := range s.Jobs[b.Job].Options.Licences {
		free := count(s.Licences, l.Name)
		short := Shortage{Resource: "licences", Where: l.Name, Wanted: l.Count, Free: free, Left: free}
		for _, w := range winners {
			amount := count(s.Jobs[w.Job].Options.Licences, l.Name)
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

func count(licences []auction.Licence, name string) int {
	n := 0
	for _, l := range licences {
		if l.Name == name {
			n += l.Count
		}
	}
	return n
}
